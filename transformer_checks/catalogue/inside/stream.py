"""inside.stream: what each part added to the residual stream, and how much of the end it is."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, stream: Tensor) -> Case:
        return Case(label, {"stream": stream})

    # Rows of many sizes; what a token ends as is no vector of zeros.
    sizes = torch.tensor([1.0, 30.0, 3e-3]).repeat(6)[:, None]
    many = normal(generator, 3, 3, 18, 19) * sizes
    many[0, 0, 1] = 0.0
    still = tidy(generator, 3, 1, 2, 3)
    still[2] = still[1]
    return [
        case("an embedding and 2 parts, 2 tokens", _ending(tidy(generator, 3, 1, 2, 2))),
        case("an embedding alone", normal(generator, 1, 2, 3, 4)),
        case("2 parts, width 1", _ending(tidy(generator, 3, 1, 1, 1))),
        case("one part, one token", normal(generator, 2, 1, 1, 2)),
        case("6 parts, batch 2, 4 tokens", normal(generator, 7, 2, 4, 5).cumsum(0)),
        case("the last part adds nothing", _ending(still)),
        case("18 tokens of width 19, rows of many sizes", many),
    ]


def _ending(stream: Tensor) -> Tensor:
    """The stream whose last vectors all have a first number that is not near 0."""
    first = stream[-1, ..., :1]
    stream[-1, ..., :1] = torch.where(first.abs() < 0.3, 0.5, first)
    return stream


CHECK = Check(
    name="inside.stream",
    lesson="12_inside",
    title="The parts of the stream",
    answer="stream_parts",
    returns=("added", "shares"),
    draw=_draw,
    points=1,
    difficulty=1,
    importance=5,
    minutes=10,
)
