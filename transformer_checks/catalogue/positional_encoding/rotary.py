"""positions.rotary: pairs of columns, turned by the position."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def inputs(draw: Draw, shape: tuple[int, ...], positions: list[int]) -> dict[str, Value]:
        x = draw(generator, *shape, len(positions), 4 if draw is tidy else 8)
        return {"x": x, "positions": torch.tensor(positions)}

    far = torch.tensor([5000, 3])
    return [
        Case("2 tokens, d_head 4", inputs(tidy, (), [0, 1])),
        Case("one new token at position 7", inputs(tidy, (), [7])),
        Case("positions 5, 0, 9", inputs(tidy, (), [5, 0, 9])),
        Case("batch 2, heads 3, 5 tokens", inputs(normal, (2, 3), [0, 1, 2, 3, 4])),
        Case("positions before 0 too", inputs(tidy, (), [-2, 3])),
        # The first pair's frequency is 1: float32 holds its angle exactly, however late.
        Case("one pair, positions 5000 and 3", {"x": tidy(generator, 2, 2), "positions": far}),
        Case("the same position twice", inputs(tidy, (), [3, 3, 1])),
        *ordinary(generator, x="... tokens +pairs*2", positions="<400 tokens"),
    ]


CHECK = Check(
    name="positions.rotary",
    lesson="04_positional_encoding",
    title="Rotary positions",
    answer="rotate",
    returns=("rotated",),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=5,
    minutes=20,
)
