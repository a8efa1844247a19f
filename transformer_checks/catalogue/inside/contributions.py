"""inside.contributions: what each part brings to the lead of one piece over another."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str, draw: Draw, shape: tuple[int, int, int, int], vocab: int, eps: float
    ) -> Case:
        _, *texts, width = shape
        gain, bias = 1 + normal(generator, width) / 2, normal(generator, width)
        if width > 16:  # two columns are left as they are, one is lost, and one is large
            gain[:4], bias[:4] = torch.tensor([1, 1, 0, 11.0]), torch.tensor([0, 0, 5e-4, 11])
        first = torch.randint(vocab, texts, generator=generator)
        second = (first + torch.randint(1, vocab, texts, generator=generator)) % vocab
        pieces = draw(generator, vocab, width) if width > 1 else normal(generator, vocab, width)
        pieces = pieces / 2 if width > 16 else pieces
        return _case(label, draw(generator, *shape), gain, bias, eps, pieces, first, second)

    equal = torch.tensor([[1, 0, 2]])
    lost = tidy(generator, 2, 1, 2, 4)
    lost[1, 0, 1] = -lost[0, 0, 1]
    ones, flat = torch.tensor([1.0, 1.0, 9e-4, -2.0]), torch.tensor([0.5, 0.0, 0.0, -1.0])
    ids = torch.tensor([[0, 2]])
    return [
        case("2 parts, 1 token, width 2", tidy, (2, 1, 1, 2), 3, 0.1),
        case("2 parts, 2 tokens, width 3", tidy, (2, 1, 2, 3), 3, 0.1),
        case("one part", normal, (1, 2, 3, 4), 5, 1e-5),
        case("width 1", normal, (2, 2, 2, 1), 4, 0.3),
        case("6 parts, batch 2, 4 tokens", normal, (6, 2, 4, 5), 7, 1e-5),
        case("no eps", normal, (3, 2, 3, 6), 2, 0.0),
        case("parts of thousandths", _small, (3, 1, 3, 4), 4, 1e-5),
        _case(
            "the same piece twice",
            normal(generator, 3, 1, 3, 4),
            ones,
            flat,
            1e-5,
            normal(generator, 3, 4),
            equal,
            equal.clone(),
        ),
        _case("parts that cancel", lost, ones, flat, 0.1, tidy(generator, 3, 4), ids, ids.flip(1)),
        case("18 texts of 3 tokens", normal, (2, 18, 3, 4), 5, 1e-5),
        case("18 tokens of width 19, 120 pieces, many sizes", uneven, (6, 3, 18, 19), 120, 1e-4),
    ]


def _small(generator: Generator, *shape: int) -> Tensor:
    return normal(generator, *shape) * (1e-3 if len(shape) > 2 else 10.0)


def _case(
    label: str,
    added: Tensor,
    gain: Tensor,
    bias: Tensor,
    eps: float,
    output: Tensor,
    first: Tensor,
    second: Tensor,
) -> Case:
    names = ("added", "gain", "bias", "eps", "output", "first", "second")
    values = (added, gain, bias, eps, output, first, second)
    return Case(label, dict(zip(names, values, strict=True)))


CHECK = Check(
    name="inside.contributions",
    lesson="12_inside",
    title="Who brought the lead?",
    answer="contributions",
    returns=("contributions",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=25,
)
