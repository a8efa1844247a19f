"""flash.visible_tiles: which tiles a causal mask skips, cuts or leaves whole."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def some(low: int, high: int) -> int:
        return int(torch.randint(low, high, (), generator=generator))

    sizes = [
        (6, 6, 2, 2),
        (6, 6, 2, 3),
        (6, 6, 3, 2),
        (2, 8, 2, 2),
        (4, 9, 2, 2),
        (9, 4, 2, 2),
        (5, 7, 2, 3),
        (6, 6, 6, 4),
        (2, 3, 4, 5),
        (1, 10, 4, 4),
        (3, 1, 2, 2),
        (3, 4, 1, 1),
        (77, 97, 16, 32),
        (3, 1200, 2, 5),
    ]
    sizes.append((some(20, 40), some(40, 60), some(3, 8), some(8, 13)))
    names = ("queries", "keys", "tile_queries", "tile_keys")
    large = dict(zip(names, (777, 977, 64, 128), strict=True))
    return [
        Case(
            f"{q} queries, {k} keys, tiles of {a} by {b}",
            dict(zip(names, (q, k, a, b), strict=True)),
        )
        for q, k, a, b in sizes
    ] + [Case("777 queries, 977 keys, in little memory", large, most_numbers=20_000)]


CHECK = Check(
    name="flash.visible_tiles",
    lesson="09_flash_attention",
    title="Tiles that need no visit",
    answer="visible_tiles",
    returns=("kinds",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
)
