"""positions.rotation: the matrix that moves every position by k."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    k = int(torch.randint(5, 50, (), generator=generator))
    # Not much farther than 100: the float32 angles of right answers would be too coarse.
    sizes = [(1, 4), (3, 6), (-2, 4), (-1, 6), (0, 4), (7, 2), (k, 16), (100, 64)]
    return [Case(f"k = {k}, d_model {d}", {"k": k, "d_model": d}) for k, d in sizes]


CHECK = Check(
    name="positions.rotation",
    lesson="04_positional_encoding",
    title="The rotation by k",
    answer="rotation",
    returns=("matrix",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
)
