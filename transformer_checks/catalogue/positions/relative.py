"""positions.relative_bias: a bias by distance, mended."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception


def _reference(table: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor:
    reach = table.shape[1] // 2
    queries = [
        torch.stack([table[:, min(max(k - q, -reach), reach) + reach] for k in key_positions], -1)
        for q in query_positions
    ]
    return torch.stack(queries, dim=1)  # each (heads, keys)


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, heads: int, reach: int, queries: list[int], keys: list[int]
    ) -> dict[str, Value]:
        return {
            "table": draw(generator, heads, 2 * reach + 1),
            "query_positions": torch.tensor(queries),
            "key_positions": torch.tensor(keys),
        }

    def count(first: int, last: int) -> list[int]:
        return list(range(first, last + 1))

    return [
        Case("1 head, distances up to 2, 3 tokens", inputs(tidy, 1, 2, count(0, 2), count(0, 2))),
        Case("2 heads, distances up to 1, 4 tokens", inputs(tidy, 2, 1, count(0, 3), count(0, 3))),
        Case("3 heads, 3 tokens", inputs(tidy, 3, 3, count(0, 2), count(0, 2))),
        Case("one query after 5 cached keys", inputs(tidy, 2, 2, [5], count(0, 5))),
        Case("positions 5, 0, 9", inputs(normal, 4, 4, [5, 0, 9], [5, 0, 9])),
        Case("2 queries, 6 keys", inputs(normal, 5, 3, [7, 8], count(3, 8))),
        Case("gradients", inputs(normal, 2, 2, count(0, 3), count(0, 4)), gradients=True),
    ]


def _distance(queries: Tensor, keys: Tensor) -> Tensor:
    return keys - queries[:, None]


def _heads_last(table: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    return _reference(table, queries, keys).permute(1, 2, 0)


def _unchanged(table: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    reach = table.shape[1] // 2
    return table.T[_distance(queries, keys).clamp(-reach, reach + 1) + reach]


def _clip_one_too_far(table: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    reach = table.shape[1] // 2
    return table[:, _distance(queries, keys).clamp(-reach, reach + 1) + reach]


def _clip_one_too_near(table: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    reach = table.shape[1] // 2
    return table[:, _distance(queries, keys).clamp(-reach, reach - 1) + reach]


def _not_shifted(table: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    reach = table.shape[1] // 2
    return table[:, _distance(queries, keys).clamp(-reach, reach)]


def _not_clipped(table: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    return table[:, _distance(queries, keys) + table.shape[1] // 2]


def _wraps(table: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    return table[:, (_distance(queries, keys) + table.shape[1] // 2) % table.shape[1]]


def _absolute(table: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    reach = table.shape[1] // 2
    return table[:, _distance(queries, keys).abs().clamp(max=reach) + reach]


def _counted(table: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    return _reference(table, torch.arange(len(queries)), torch.arange(len(keys)))


RELATIVE_BIAS = Check(
    name="positions.relative_bias",
    lesson="04_positional_encoding",
    title="Bug hunt: a relative bias, mended",
    answer="relative_bias",
    returns=("bias",),
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "unchanged",
            _unchanged,
            "both slips are still there: heads come last, and the clip reaches past the table",
            "Which shape have scores, and how many columns has a table for distances -2 to 2?",
        ),
        Misconception(
            "heads last",
            _heads_last,
            "the heads come last: the bias will not line up with (batch, heads, queries, keys)",
            "Index the second axis of the table, and the first one, the heads, stays first.",
        ),
        Misconception(
            "clip one too far",
            _clip_one_too_far,
            "the largest distance asks for a column past the end of the table",
            "With distances -2 to 2 there are 5 columns, 0 to 4. Where does distance 3 belong?",
        ),
        Misconception(
            "clip one too near",
            _clip_one_too_near,
            "the largest distance ahead never gets the last column",
            "The table has 2 · max_distance + 1 columns. Both ends are in use.",
        ),
        Misconception(
            "query minus key",
            lambda table, queries, keys: _reference(table.flip(1), queries, keys),
            "the sign is turned: what lies behind is taken for what lies ahead",
            "The distance is the key's position minus the query's: -1 is the token before.",
        ),
        Misconception(
            "not shifted",
            _not_shifted,
            "negative distances index from the end of the table",
            "The first column belongs to the distance -max_distance. Shift before you look up.",
        ),
        Misconception(
            "not clipped",
            _not_clipped,
            "distances beyond the table are not clipped; negative ones index from its end",
            "Every distance beyond max_distance shares the outermost column.",
        ),
        Misconception(
            "wraps around",
            _wraps,
            "distances beyond the table start again from its other end",
            "Every distance beyond max_distance shares the outermost column.",
        ),
        Misconception(
            "absolute distance",
            _absolute,
            "before and after are treated alike: half of the table is never used",
            "The token before and the token after have columns of their own.",
        ),
        Misconception(
            "positions counted, not read",
            _counted,
            "positions are counted from 0 instead of taken from the arguments",
            "With a cache there is one query, at position 5, and keys 0 to 5.",
        ),
        Misconception(
            "queries and keys swapped",
            lambda table, queries, keys: _reference(table, queries, keys).transpose(1, 2),
            "rows belong to keys and columns to queries",
            "The bias is added to scores: one row for each query, one column for each key.",
        ),
    ),
    hints=(
        "Try it with a table of two heads and distances up to 1, on 4 tokens. What does it raise?",
        "There are 2 · max_distance + 1 distances, from -max_distance to max_distance.",
        "Clip to (-max_distance, max_distance), add max_distance, and take `table[:, column]`.",
    ),
)
