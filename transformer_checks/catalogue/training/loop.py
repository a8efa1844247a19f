"""training.loop: the steps of training in their order, and a measurement between them."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


@dataclass(frozen=True)
class Sizes:
    """What a case varies; lengths are those of the texts of a batch, at most."""

    label: str
    vocab_size: int
    d_model: int
    batches: tuple[int, int, int]  # steps, batch, tokens
    held_out: tuple[int, int, int]
    rates: list[float]
    clip_norm: float
    every: int
    padding_id: int = 0
    left: bool = False  # the side of the padding


CASES = (
    Sizes("one step", 4, 2, (1, 1, 3), (1, 1, 4), [1.0], 100.0, 1),
    Sizes("two steps with one rate", 4, 3, (2, 1, 3), (1, 2, 3), [1.5, 1.5], 100.0, 1),
    Sizes(
        "two steps, the second with a smaller rate",
        4,
        2,
        (2, 2, 4),
        (2, 1, 5),
        [2.0, 0.5, 0.1],
        100.0,
        2,
        3,
    ),
    Sizes(
        "three steps, gradients longer than clip_norm",
        5,
        3,
        (3, 2, 4),
        (2, 2, 3),
        [1.0, 2.0, 1.0],
        0.1,
        1,
    ),
    Sizes(
        "five steps, measured after each second",
        6,
        4,
        (5, 3, 5),
        (3, 2, 6),
        [0.5, 1.0, 2.0, 1.5, 1.0],
        0.6,
        2,
        2,
    ),
    Sizes(
        "six steps, measured after each third, padding on the left",
        7,
        5,
        (6, 2, 6),
        (3, 4, 5),
        [2.0, 2.0, 1.5, 1.0, 0.7, 0.4],
        0.3,
        3,
        6,
        left=True,
    ),
    Sizes("texts of two tokens", 5, 3, (2, 2, 2), (1, 2, 3), [1.0, 0.5], 100.0, 1),
    Sizes(
        "one feature, never dropped, and clip_norm 0",
        4,
        1,
        (2, 2, 4),
        (1, 2, 3),
        [1.0, 0.5],
        0.0,
        1,
    ),
    Sizes(
        "18 steps, measured after the seventeenth, 24 words",
        24,
        18,
        (18, 17, 19),
        (2, 18, 17),
        [0.1 * step for step in range(18)],
        0.15,
        17,
        20,
    ),
)


def _draw(generator: Generator) -> list[Case]:
    cases = [_case(generator, sizes) for sizes in CASES]
    return [*cases[:-1], _of_many_sizes(cases[-1]), _learned_by_heart(generator)]


def _learned_by_heart(g: Generator) -> Case:
    """Word 3, right in all held-out texts and in none of the batches, is the likeliest at first:
    the held-out loss rises from the first measurement on, and whoever stops there stops early."""
    sizes = Sizes(
        "six steps with one text, the held-out loss rising",
        4,
        3,
        (6, 1, 5),
        (1, 2, 2),
        [0.1] * 6,
        100.0,
        1,
    )
    favoured = torch.tensor([[-1.0], [-1.0], [-1.0], [1.0]])
    inputs = {
        **_case(g, sizes).inputs,
        "embedding": _weights(g, 4, 3).abs(),
        "output": favoured * _weights(g, 4, 3).abs(),
        "batches": torch.tensor([[[1, 2, 1, 2, 1]]]).repeat(6, 1, 1),
        "held_out": torch.tensor([[[1, 3], [2, 3]]]),
    }
    return Case(sizes.label, inputs)


def _of_many_sizes(case: Case) -> Case:
    """The case with small, large and no numbers in features that are dropped: training, which
    would blow them up, leaves them alone, and what is measured on held-out texts needs them."""
    embedding, output, dropped = (case.inputs[n] for n in ("embedding", "output", "dropped"))
    assert isinstance(embedding, Tensor) and isinstance(output, Tensor)
    assert isinstance(dropped, Tensor)
    embedding[:, dropped] *= torch.tensor([5e-4, 300.0, 0.0, 1.0, 1.0, 1.0])
    output[:, dropped] *= torch.tensor([300.0, 5e-4, 1.0, 1.0, 1.0, 1.0])
    output[0, dropped] = 0.0
    return case


def _case(g: Generator, sizes: Sizes) -> Case:
    vocab_size, d_model = sizes.vocab_size, sizes.d_model
    dropped = torch.zeros(d_model, dtype=torch.bool)
    dropped[torch.randperm(d_model, generator=g)[: (d_model + 1) // 3]] = True
    return Case(
        sizes.label,
        {
            "embedding": _weights(g, vocab_size, d_model),
            "output": _weights(g, vocab_size, d_model),
            "dropped": dropped,
            "batches": _texts(g, sizes.batches, sizes),
            "held_out": _texts(g, sizes.held_out, sizes),
            "rates": sizes.rates,
            "clip_norm": sizes.clip_norm,
            "every": sizes.every,
            "padding_id": sizes.padding_id,
        },
    )


def _weights(g: Generator, *shape: int) -> Tensor:
    """One decimal, and none of them near 0: each feature counts."""
    size = 0.4 + 0.8 * torch.rand(shape, generator=g)
    sign = 2.0 * torch.randint(2, shape, generator=g) - 1
    return (10 * size * sign).round() / 10


def _texts(g: Generator, shape: tuple[int, ...], sizes: Sizes) -> Tensor:
    """Words beside padding; in the first text no padding, the last is the shortest of all."""
    words = torch.randint(1, sizes.vocab_size, shape, generator=g)
    words = (sizes.padding_id + words) % sizes.vocab_size  # all but the padding
    lengths = torch.randint(2, shape[-1] + 1, shape[:-1], generator=g)
    lengths.view(-1)[-1] = 2
    lengths.view(-1)[0] = shape[-1]
    padding = torch.arange(shape[-1]) >= lengths[..., None]
    return words.masked_fill(padding.flip(-1) if sizes.left else padding, sizes.padding_id)


CHECK = Check(
    name="training.loop",
    lesson="07_training",
    title="The loop",
    answer="fit",
    returns=("losses", "held_out_losses"),
    draw=_draw,
    points=3,
    difficulty=3,
    importance=5,
    minutes=20,
)
