"""modern.gated_width: three matrices with the parameters of two."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def some(low: int, high: int) -> int:
        return int(torch.randint(low, high, (), generator=generator))

    sizes = {
        "d_model 4, d_ff 9, multiples of 4": (4, 9, 4),
        "d_model 4, d_ff 6, multiples of 4: exactly": (4, 6, 4),
        "no rounding up": (5, 12, 1),
        "a third left over": (5, 11, 1),
        "two thirds left over": (3, 7, 1),
        "a little above a multiple": (3, 25, 16),
        "d_ff 1": (2, 1, 1),
        "d_model 1": (1, 8, 8),
        "Llama's 7 billion": (4096, 16_384, 256),
        "a multiple above d_ff": (6, 10, 64),
        "any sizes": (some(50, 90), some(300, 900), some(10, 60)),
    }
    names = ("d_model", "d_ff", "multiple")
    return [Case(label, dict(zip(names, three, strict=True))) for label, three in sizes.items()]


CHECK = Check(
    name="modern.gated_width",
    lesson="11_since_2017",
    title="How wide a gated feed-forward is",
    answer="gated_width",
    returns=("width", "surplus"),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=5,
    minutes=8,
    rtol=0.0,  # a count is right or wrong
)
