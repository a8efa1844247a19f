"""flash.visible_tiles: which tiles a causal mask skips, cuts or leaves whole."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

SKIPPED, DIAGONAL, WHOLE = 0, 1, 2


def _reference(queries: int, keys: int, tile_queries: int, tile_keys: int) -> Tensor:
    """By counting the pairs that are seen in each tile."""
    kinds = []
    for rows in torch.arange(queries).split(tile_queries):
        row = []
        for columns in torch.arange(keys).split(tile_keys):
            seen = (rows + keys - queries + 1 - columns[0]).clamp(0, len(columns)).sum().item()
            row.append((seen > 0) + (seen == len(rows) * len(columns)))
        kinds.append(row)
    return torch.tensor(kinds)


def _from_the_mask(queries: int, keys: int, tile_queries: int, tile_keys: int) -> Tensor:
    seen = torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries
    rows = [row.split(tile_keys, dim=1) for row in seen.split(tile_queries)]
    return torch.stack([torch.stack([t.any().int() + t.all().int() for t in r]) for r in rows])


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
        (7, 7, 4, 4),
        (1, 10, 4, 4),
        (77, 97, 16, 32),
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


def _with(
    *,
    offset: bool = True,
    strict: int = 0,
    clip_keys: bool = True,
    drop: bool = False,
    whole_as_diagonal: bool = False,
    exchange: bool = False,
    first_query: bool = False,
    swapped: bool = False,
    inverted: bool = False,
) -> Callable[[int, int, int, int], Tensor]:
    def answer(queries: int, keys: int, tile_queries: int, tile_keys: int) -> Tensor:
        if exchange:
            tile_queries, tile_keys = tile_keys, tile_queries
        shift = keys - queries if offset else 0
        count = [-(-queries // tile_queries), -(-keys // tile_keys)]
        if drop:
            count = [queries // tile_queries, keys // tile_keys]
        kinds = torch.zeros(count, dtype=torch.int64)
        for i in range(count[0]):
            for j in range(count[1]):
                rows = i * tile_queries, (i + 1) * tile_queries
                columns = j * tile_keys, (j + 1) * tile_keys
                last_query = min(rows[1], queries)
                last_key = min(columns[1], keys) if clip_keys else columns[1]
                visible = rows[0] if first_query else last_query - 1
                if columns[0] + strict > visible + shift:
                    continue
                whole = last_key - 1 + strict <= rows[0] + shift
                kinds[i, j] = WHOLE if whole and not whole_as_diagonal else DIAGONAL
        if swapped:
            kinds = torch.tensor([0, 2, 1])[kinds]
        return 2 - kinds if inverted else kinds

    return answer


VISIBLE_TILES = Check(
    name="flash.visible_tiles",
    lesson="09_flash_attention",
    title="Tiles that need no visit",
    answer="visible_tiles",
    returns=("kinds",),
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "aligned to the first key",
            _with(offset=False),
            "the diagonal starts at the first key; with fewer queries than keys it must end at the "
            "last",
            "The last query is the last key. Which key does the first query stand at?",
        ),
        Misconception(
            "the diagonal excluded",
            _with(strict=1),
            "a query is taken not to see the key at its own place",
            "Each query sees the keys up to its own place, that one included.",
        ),
        Misconception(
            "ragged keys taken for a diagonal",
            _with(clip_keys=False),
            "the last tile of keys ends beyond the last key, and counts as cut because of keys "
            "that do not exist",
            "A tile ends at the last key, if that comes before its full width.",
        ),
        Misconception(
            "last tile dropped",
            _with(drop=True),
            "the last, ragged tiles are missing",
            "7 tokens in tiles of 4 are two tiles: the number is rounded up.",
        ),
        Misconception(
            "no tile is whole",
            _with(whole_as_diagonal=True),
            "every visited tile counts as diagonal",
            "A tile is whole when even its first query sees its last key.",
        ),
        Misconception(
            "tile sizes exchanged",
            _with(exchange=True),
            "the tile sizes of queries and keys are exchanged",
            "Rows of the result are tiles of queries.",
        ),
        Misconception(
            "skipped by the first query",
            _with(first_query=True),
            "a tile is skipped as soon as its first query cannot see it",
            "Skip it only if no query of the tile sees any of its keys: which query sees furthest?",
        ),
        Misconception(
            "whole and diagonal exchanged",
            _with(swapped=True),
            "whole tiles are marked 1 and diagonal ones 2",
            "0 skipped, 1 diagonal, 2 whole.",
        ),
        Misconception(
            "skipped and whole exchanged",
            _with(inverted=True),
            "skipped tiles are marked 2 and whole ones 0",
            "0 skipped, 1 diagonal, 2 whole.",
        ),
        Misconception(
            "a mask of all pairs",
            _from_the_mask,
            "a mask of all pairs is made, only to look at its tiles",
            "The first and the last query of a tile, and its first and last key, are enough.",
        ),
    ),
    hints=(
        "Query i stands at key i + keys - queries and sees the keys up to there.",
        "Skipped: the tile's first key comes after what its last query sees. "
        "Whole: its last key is among what its first query sees.",
        "A ragged tile ends at the last token: `min((j + 1) * tile_keys, keys) - 1` is its last "
        "key.",
    ),
)
