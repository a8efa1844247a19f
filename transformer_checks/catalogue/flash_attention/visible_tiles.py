"""flash.visible_tiles: which tiles a causal mask skips, cuts or leaves whole."""

import torch
from torch import Generator

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def some(low: int, high: int) -> int:
        return int(torch.randint(low, high, (), generator=generator))

    sizes = [
        (6, 6, 2, 2), (6, 6, 2, 3), (6, 6, 3, 2), (2, 8, 2, 2), (4, 9, 2, 2), (9, 4, 2, 2),
        (5, 7, 2, 3), (6, 6, 6, 4), (7, 7, 4, 4), (1, 10, 4, 4), (3, 1, 2, 2), (3, 4, 1, 1),
        (77, 97, 16, 32), (3, 1200, 2, 5),
    ]
    sizes.append((some(20, 40), some(40, 60), some(3, 8), some(8, 13)))
    names = ("queries", "keys", "tile_queries", "tile_keys")
    large = dict(zip(names, (777, 977, 64, 128), strict=True))
    return [
        Case(f"{q} queries, {k} keys, tiles of {a} by {b}",
             dict(zip(names, (q, k, a, b), strict=True)))
        for q, k, a, b in sizes
    ] + [Case("777 queries, 977 keys, in little memory", large, most_numbers=20_000)]


CHECK = Check(
    name="flash.visible_tiles", lesson="09_flash_attention", title="Tiles that need no visit",
    answer="visible_tiles", returns=("kinds",), draw=_draw,
    points=2, difficulty=3, importance=4, minutes=15,
    slips=(
        Slip("aligned to the first key", {" + keys - queries": ""},
             "the diagonal starts at the first key; with fewer queries than keys it must end at "
             "the last",
             "The last query is the last key. Which key does the first query stand at?"),
        Slip("the diagonal excluded",
             {"left > last": "left >= last", "last_key <= first": "last_key < first"},
             "a query is taken not to see the key at its own place",
             "Each query sees the keys up to its own place, that one included."),
        Slip("ragged keys taken for a diagonal",
             {"min(left + tile_keys, keys)": "left + tile_keys"},
             "the last tile of keys ends beyond the last key, and counts as cut because of keys "
             "that do not exist",
             "A tile ends at the last key, if that comes before its full width."),
        Slip("last tile dropped", {
                 "range(0, queries,": "range(0, queries - queries % tile_queries,",
                 "range(0, keys,": "range(0, keys - keys % tile_keys,",
             },
             "the last, ragged tiles are missing",
             "7 tokens in tiles of 4 are two tiles: the number is rounded up."),
        Slip("no tile is whole", {"2 if last_key <= first else 1": "1"},
             "every visited tile counts as diagonal",
             "A tile is whole when even its first query sees its last key."),
        Slip("tile sizes exchanged",
             {"    kinds =": "    tile_queries, tile_keys = tile_keys, tile_queries\n    kinds ="},
             "the tile sizes of queries and keys are exchanged",
             "Rows of the result are tiles of queries."),
        Slip("skipped by the first query", {"left > last": "left > first"},
             "a tile is skipped as soon as its first query cannot see it",
             "Skip it only if no query of the tile sees any of its keys: which query sees "
             "furthest?"),
        Slip("whole and diagonal exchanged",
             {"2 if last_key <= first else 1": "1 if last_key <= first else 2"},
             "whole tiles are marked 1 and diagonal ones 2", "0 skipped, 1 diagonal, 2 whole."),
        Slip("at least as many keys as queries", {"keys - queries": "max(keys - queries, 0)"},
             "with more queries than keys the diagonal starts at the first key",
             "The last query is the last key, whichever are more."),
    ),
)
