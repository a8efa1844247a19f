"""modern.window: what a token of a windowed layer may see."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    longer, queries, window = torch.randint(2, 20, (3,), generator=generator).tolist()
    cases = {
        "4 queries, 4 keys, a window of 2": (4, 4, 2),
        "2 queries, 5 keys, a window of 3": (2, 5, 3),
        "one query, 4 keys, a window of 2": (1, 4, 2),
        "a window of one token": (3, 3, 1),
        "a window of one token, with a cache": (2, 4, 1),
        "a window as long as the text": (4, 4, 4),
        "a window longer than the text": (3, 5, 300),
        "one query, one key": (1, 1, 3),
        "2 queries, 2 keys": (2, 2, 2),
        "any sizes": (queries, queries + longer, window),
        "130 queries, 150 keys, a window of 101": (130, 150, 101),
    }
    names = ("queries", "keys", "window")
    return [Case(label, dict(zip(names, sizes, strict=True))) for label, sizes in cases.items()]


CHECK = Check(
    name="modern.window",
    lesson="11_since_2017",
    title="The mask of a window",
    answer="window_mask",
    returns=("mask",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=4,
    minutes=8,
)
