"""flash.traffic: what two orders of the loops move, each with the tile that suits it best."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import redrawn

Range = tuple[int, int]  # both ends are drawn too
# Queries, keys, width; the memory holds a tile of so many queries and keys, and so much beside it.
CASES: tuple[tuple[str, Range, Range, Range, Range, Range, Range], ...] = (
    ("room for few queries", (6, 8), (5, 9), (2, 3), (2, 3), (1, 1), (1, 2)),
    ("room for few keys", (5, 9), (6, 8), (2, 3), (1, 1), (2, 3), (1, 2)),
    ("no room to spare, queries", (20, 40), (10, 30), (2, 5), (2, 3), (1, 1), (0, 0)),
    ("no room to spare, keys", (10, 30), (20, 40), (2, 5), (1, 1), (2, 3), (0, 0)),
    ("one number short, queries", (20, 40), (10, 30), (2, 5), (3, 4), (1, 1), (-1, -1)),
    ("one number short, keys", (10, 30), (20, 40), (2, 5), (1, 1), (3, 4), (-1, -1)),
    ("narrow, and many scores", (100, 150), (60, 99), (1, 2), (12, 16), (1, 1), (0, 1)),
    ("narrow, and long tiles of keys", (60, 99), (100, 150), (1, 2), (1, 1), (12, 16), (0, 1)),
    ("room for all keys at once", (40, 60), (6, 9), (10, 12), (1, 1), (9, 10), (1, 3)),
    ("wide, and room for all keys", (100, 150), (12, 20), (16, 24), (1, 1), (20, 24), (1, 9)),
    ("many keys, few queries", (3, 5), (100, 150), (4, 9), (1, 1), (5, 7), (1, 3)),
    ("tiles of hundreds of queries", (400, 500), (20, 30), (1, 2), (150, 199), (1, 1), (0, 1)),
    ("tiles of hundreds of keys", (20, 30), (400, 500), (1, 2), (1, 1), (150, 199), (0, 1)),
    ("all queries in one tile", (2000, 2100), (2, 4), (1, 1), (2100, 2200), (1, 1), (0, 1)),
    ("all keys in one tile", (2, 4), (2000, 2100), (1, 1), (1, 1), (2100, 2200), (0, 1)),
    ("one query", (1, 1), (20, 60), (8, 16), (1, 1), (6, 9), (1, 5)),
    ("one key", (20, 60), (1, 1), (8, 16), (6, 9), (1, 1), (1, 5)),
    ("room for one query and one key", (9, 19), (9, 19), (3, 12), (1, 1), (1, 1), (0, 0)),
    ("room for everything", (9, 30), (9, 30), (4, 8), (31, 40), (31, 40), (0, 9)),
)


def _draw(generator: Generator) -> list[Case]:
    return [_case(generator, *case) for case in CASES]


def _case(g: Generator, label: str, *ranges: Range) -> Case:
    """Draw sizes with which the two orders move unequally much."""
    least_traffic = CHECK.text.run()

    def attempt() -> Case | None:
        queries, keys, width, a, b, spare = (
            int(torch.randint(least, most + 1, (), generator=g)) for least, most in ranges
        )
        capacity = 2 * (a + b) * width + 2 * a + a * b + spare
        inputs = {"queries": queries, "keys": keys, "width": width, "capacity": capacity}
        moved, _ = least_traffic(**inputs)
        if moved[0] == moved[1]:
            return None
        return Case(f"{queries} queries, {keys} keys of {width}: {label}", inputs)

    return redrawn(attempt)


CHECK = Check(
    name="flash.traffic",
    lesson="09_flash_attention",
    title="Which loop goes outside?",
    answer="least_traffic",
    returns=("moved", "outside"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
)
