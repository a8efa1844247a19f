"""positions.relative_bias: a bias by distance, mended."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check, Repair
from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.ordinary import ordinary

FAR = 2**24  # the next whole number is none of float32's


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
        Case(
            "positions far apart, some before 0",
            inputs(normal, 2, 3, [FAR, -3], [FAR + 1, FAR - 2, -1]),
        ),
        Case("two keys at the same position", inputs(normal, 2, 2, [4, 4, 1], [3, 3])),
        *ordinary(
            generator, table="heads 21", query_positions="<30 queries", key_positions="<30 keys"
        ),
    ]


CHECK = Check(
    name="positions.relative_bias",
    lesson="04_positional_encoding",
    title="Bug hunt: a relative bias, mended",
    answer="relative_bias",
    returns=("bias",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
    broken={"relative_bias": "another", "broken_bias": "relative_bias"},
    repairs=(
        Repair("the heads come first", {"table.T[column]": "table[:, column]"}),
        Repair("every distance has a column of the table", {"max_distance + 1)": "max_distance)"}),
    ),
)
