"""modern.ring_step: a cache of as many tokens as a window shows."""

from typing import Any

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven_columns, whole
from transformer_checks.catalogue.ordinary import inputs_of, ordinary

AXES = {
    "query": "heads +d_head",
    "key": "heads -d_head",
    "value": "heads d_value",
    "keys": "heads slots -d_head",
    "values": "heads slots d_value",
}


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, draw: Draw, position: int, *sizes: int, **factors: Any) -> Case:
        """The sizes: heads, widths of keys and of values, slots; some tensors multiplied."""
        drawn = inputs_of(generator, AXES, draw, *sizes)
        changed = {name: factor * drawn[name] for name, factor in factors.items()}
        return Case(label, {**drawn, **changed, "position": position})

    def positive(g: Generator, *shape: int) -> Tensor:
        return normal(g, *shape).abs()  # in a mean of large values none cancels another

    unwritten = torch.tensor([[1.0], [1.0], [1.0], [1e6], [-1e6]])
    unset = torch.tensor([[1.0], [1.0], [torch.nan], [torch.nan]])
    return [
        case("the first token, a ring of 2", tidy, 0, 1, 2, 2, 2),
        case("the second token, a ring of 3", tidy, 1, 1, 2, 2, 3),
        case("the last free slot of a ring of 3", tidy, 2, 2, 2, 1, 3),
        case("the first slot is written again", tidy, 3, 2, 2, 2, 3),
        case("position 4, a ring of 3", tidy, 4, 2, 2, 3, 3),
        case("position 1000, a ring of 7", normal, 1000, 3, 4, 5, 7),
        case(
            "large numbers in slots that nobody has written",
            *(normal, 2, 2, 3, 4, 5),
            keys=unwritten,
            values=unwritten,
        ),
        case(
            "NaN in slots that nobody has written", normal, 1, 2, 3, 2, 4, keys=unset, values=unset
        ),
        case("a score below -10⁹ at the first token", positive, 0, 2, 3, 2, 4, query=-1e6, key=1e6),
        case("large scores", whole, 9, 2, 3, 2, 4, keys=100.0),
        case("a token of zeros", tidy, 4, 2, 2, 2, 3, query=0.0, key=0.0, value=0.0),
        *ordinary(generator, uneven_columns, gradients=False, axes=AXES, given={"position": 53}),
    ]


CHECK = Check(
    name="modern.ring_step",
    lesson="11_since_2017",
    title="A cache that is a ring",
    answer="ring_step",
    returns=("output", "keys", "values"),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=4,
    minutes=18,
    forbidden=frozenset({"attention"}),
)
