"""positions.relative_bias: a bias by distance, mended."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check, Repair
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven

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

    def anywhere(tokens: int) -> list[int]:
        return torch.randperm(60, generator=generator)[:tokens].tolist()

    apart = torch.randperm(12, generator=generator).tolist()

    def count(first: int, last: int) -> list[int]:
        return list(range(first, last + 1))

    return [
        Case("1 head, distances up to 2, 3 tokens", inputs(tidy, 1, 2, count(0, 2), count(0, 2))),
        Case("2 heads, distances up to 1, 4 tokens", inputs(tidy, 2, 1, count(0, 3), count(0, 3))),
        Case("3 heads, 3 tokens", inputs(tidy, 3, 3, count(0, 2), count(0, 2))),
        Case("one query after 5 cached keys", inputs(tidy, 2, 2, [5], count(0, 5))),
        Case("positions 5, 0, 9", inputs(normal, 4, 4, [5, 0, 9], [5, 0, 9])),
        Case("any positions", inputs(normal, 2, 3, apart[:3], apart[3:7])),
        Case("2 queries, 6 keys", inputs(normal, 5, 3, [7, 8], count(3, 8))),
        Case("3 queries, one key", inputs(normal, 3, 2, [4, 5, 9], [5])),
        Case(
            "positions far apart, some before 0",
            inputs(normal, 2, 3, [FAR, -3], [FAR + 1, FAR - 2, -1]),
        ),
        Case("gradients", inputs(normal, 2, 2, count(0, 3), count(0, 4)), gradients=True),
        Case("two keys at the same position", inputs(normal, 2, 2, [4, 4, 1], [3, 3])),
        Case(
            "18 heads of many sizes, 19 queries, 20 keys, distances up to 10",
            inputs(uneven, 18, 10, anywhere(19), anywhere(20)),
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
