"""positions.sinusoidal: the table of sines and cosines."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    positions = int(torch.randint(30, 60, (), generator=generator))
    pairs = int(torch.randint(4, 12, (), generator=generator))
    sizes = [
        (3, 4, 10_000.0),
        (4, 6, 10_000.0),
        (3, 4, 100.0),
        (4, 5, 10_000.0),
        (positions, 2 * pairs, 10_000.0),
        (2, 1, 10_000.0),
        (20, 33, 31.5),
        (1, 6, 10_000.0),
        (2100, 1, 10_000.0),  # more positions than half precision can count
        (18, 20, 2.75),
    ]
    return [
        Case(f"{p} positions, d_model {d}, base {base:g}", dict(max_tokens=p, d_model=d, base=base))
        for p, d, base in sizes
    ]


CHECK = Check(
    name="positions.sinusoidal",
    lesson="04_positional_encoding",
    title="The sinusoidal table",
    answer="sinusoidal_table",
    returns=("table",),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=5,
    minutes=12,
)
