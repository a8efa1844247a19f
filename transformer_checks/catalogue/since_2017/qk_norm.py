"""modern.qk_norm: queries and keys divided by their root mean squares, then rotated."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven
from transformer_checks.catalogue.ordinary import inputs_of, ordinary

AXES = {
    "query": "batch heads tokens pairs*2",
    "key": "batch heads tokens pairs*2",
    "positions": "<40 tokens",
    "query_scale": "+pairs*2",
    "key_scale": "-pairs*2",
}


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        heads: tuple[int, int],
        positions: list[int],
        pairs: int = 2,
        draw: Draw = normal,
        **given: Value,
    ) -> Case:
        drawn = inputs_of(generator, AXES, draw, *heads, len(positions), pairs)
        places = {"positions": torch.tensor(positions)}
        return Case(label, {**drawn, **places, "eps": 1e-6, **given})

    late = torch.randint(100, 400, (5,), generator=generator).tolist()
    ones, gap = torch.ones(4), torch.tensor([1.0, 1.0, 0.0, 1.0])
    return [
        case("one head, two tokens", (1, 1), [0, 1], draw=tidy),
        case("one token at position 7", (1, 1), [7], draw=tidy),
        case("positions 5, 0, 9, eps 0.5", (1, 2), [5, 0, 9], draw=tidy, eps=0.5),
        case("batch 2, heads 3, late positions", (2, 3), late, 3),
        case("batch 3, heads 2, eps 0", (3, 2), [3, 3, 1, 2], eps=0.0),
        case("rows of many sizes, the third zero", (1, 2), [0, 1, 2, 3, 4], 4, uneven, eps=1e-2),
        case("one pair of columns, positions before 0 too", (2, 1), [-2, 3, 1], 1),
        case("scales of 1, as at the start", (1, 1), [0, 1, 2], query_scale=ones, key_scale=ones),
        case("a scale of 0", (1, 1), [0, 1, 2], query_scale=gap),
        *ordinary(generator, axes=AXES, given={"eps": 0.1}),
    ]


CHECK = Check(
    name="modern.qk_norm",
    lesson="11_since_2017",
    title="Query-key norm",
    answer="normed_scores",
    returns=("scores",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
)
