"""training.loop: the steps of training in their order, and a measurement between them."""

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue import families
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


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


CASES = (
    Sizes("one step", 4, 2, (1, 1, 3), (1, 1, 4), [1.0], 100.0, 1),
    Sizes("two steps with one rate", 4, 3, (2, 1, 3), (1, 2, 3), [1.5, 1.5], 100.0, 1),
    Sizes("two steps, the second with a smaller rate", 4, 2, (2, 2, 4), (2, 1, 5),
          [2.0, 0.5, 0.1], 100.0, 2, 3),
    Sizes("three steps, gradients longer than clip_norm", 5, 3, (3, 2, 4), (2, 2, 3),
          [1.0, 2.0, 1.0], 0.1, 1),
    Sizes("five steps, measured after each second", 6, 4, (5, 3, 5), (3, 2, 6),
          [0.5, 1.0, 2.0, 1.5, 1.0], 0.6, 2, 2),
    Sizes("six steps, measured after each third", 7, 5, (6, 2, 6), (3, 4, 5),
          [2.0, 2.0, 1.5, 1.0, 0.7, 0.4], 0.3, 3, 6),
    Sizes("texts of two tokens", 5, 3, (2, 2, 2), (1, 2, 3), [1.0, 0.5], 100.0, 1),
    Sizes("one feature, never dropped, and clip_norm 0", 4, 1, (2, 2, 4), (1, 2, 3),
          [1.0, 0.5], 0.0, 1),
    Sizes("18 steps, measured after the seventeenth, 24 words", 24, 18, (18, 17, 19), (2, 18, 17),
          [0.1 * step for step in range(18)], 0.15, 17, 20),
)


def _draw(generator: Generator) -> list[Case]:
    cases = [_case(generator, sizes) for sizes in CASES]
    return [*cases[:-1], _of_many_sizes(cases[-1]), _learned_by_heart(generator)]


def _learned_by_heart(g: Generator) -> Case:
    """Word 3, right in all held-out texts and in none of the batches, is the likeliest at first:
    the held-out loss rises from the first measurement on, and whoever stops there stops early."""
    sizes = Sizes("six steps with one text, the held-out loss rising", 4, 3, (6, 1, 5), (1, 2, 2),
                  [0.1] * 6, 100.0, 1)
    favoured = torch.tensor([[-1.0], [-1.0], [-1.0], [1.0]])
    inputs = {**_case(g, sizes).inputs, "embedding": _weights(g, 4, 3).abs(),
              "output": favoured * _weights(g, 4, 3).abs(),
              "batches": torch.tensor([[[1, 2, 1, 2, 1]]]).repeat(6, 1, 1),
              "held_out": torch.tensor([[[1, 3], [2, 3]]])}
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
    return Case(sizes.label, {
        "embedding": _weights(g, vocab_size, d_model), "output": _weights(g, vocab_size, d_model),
        "dropped": dropped, "batches": _texts(g, sizes.batches, vocab_size, sizes.padding_id),
        "held_out": _texts(g, sizes.held_out, vocab_size, sizes.padding_id), "rates": sizes.rates,
        "clip_norm": sizes.clip_norm, "every": sizes.every, "padding_id": sizes.padding_id,
    })


def _weights(g: Generator, *shape: int) -> Tensor:
    """One decimal, and none of them near 0: each feature counts."""
    size = 0.4 + 0.8 * torch.rand(shape, generator=g)
    sign = 2.0 * torch.randint(2, shape, generator=g) - 1
    return (10 * size * sign).round() / 10


def _texts(g: Generator, shape: tuple[int, ...], vocab_size: int, padding_id: int) -> Tensor:
    """Words and then padding; in the first text no padding, the last is the shortest of all."""
    words = torch.randint(1, vocab_size, shape, generator=g)
    words = (padding_id + words) % vocab_size  # all but the padding
    lengths = torch.randint(2, shape[-1] + 1, shape[:-1], generator=g)
    lengths.view(-1)[-1] = 2
    lengths.view(-1)[0] = shape[-1]
    return words.masked_fill(torch.arange(shape[-1]) >= lengths[..., None], padding_id)


_STEP = "        optimizer.step()\n        schedule.step()\n"
_CLIP = "nn.utils.clip_grad_norm_(model.parameters(), clip_norm)"

CHECK = Check(
    name="training.loop", lesson="07_training", title="The loop",
    answer="fit", returns=("losses", "held_out_losses"), draw=_draw,
    points=3, difficulty=3, importance=5, minutes=20,
    slips=(
        Slip("gradients never cleared", {"        optimizer.zero_grad()\n": ""},
             "the gradients of earlier steps are never cleared, and add up",
             "`backward` adds to what is there. When must the old gradients go?"),
        Slip("nothing is learned", {"        optimizer.step()\n": ""},
             "the weights never move: either no step is taken, or it finds its gradients cleared",
             "The order is: clear, backward, clip, step."),
        Slip("not clipped", {f"        {_CLIP}\n": ""},
             "the gradients are not clipped when the step uses them",
             "Clip between `backward`, which makes the gradients, and the step, which uses them."),
        Slip("each number clipped",
             {"clip_grad_norm_(model.parameters(), clip_norm)":
                  "clip_grad_value_(model.parameters(), clip_norm)"},
             "each number of the gradient is cut off at clip_norm: the direction changes",
             "It is the *length* of the whole gradient that may not exceed clip_norm."),
        Slip("each weight matrix clipped by itself",
             {f"        {_CLIP}": "        for weights in model.parameters():\n"
                                  "            nn.utils.clip_grad_norm_(weights, clip_norm)"},
             "each matrix is clipped by itself, so their proportion changes",
             "There is one length, of all weights together."),
        Slip("one rate for all steps", {"        schedule.step()\n": ""},
             "all steps are taken with rates[0]: the schedule never goes on",
             "Who tells the schedule that a step was taken?"),
        Slip("one rate ahead", {_STEP: "        schedule.step()\n        optimizer.step()\n"},
             "each step is taken with the rate of the next: rates[0] is never used",
             "First the step, then the next rate."),
        Slip("measured in training mode", {"            model.eval()\n": ""},
             "the held-out loss is measured in training mode: features are dropped",
             "Dropout is for training. Which mode is for measuring?"),
        Slip("padding counts", {", ignore_index=padding_id": "",
                                "(held_out[..., 1:] != padding_id).sum()":
                                "held_out[..., 1:].numel()"},
             "padding counts as a target, in training and in the measurement",
             "`ignore_index` names the target that does not count."),
        families.padding_id_fixed(
            {"ignore_index=padding_id": "ignore_index=0", "!= padding_id": "!= 0"}),
    ),
)
