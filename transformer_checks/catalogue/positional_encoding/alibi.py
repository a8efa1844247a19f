"""positions.alibi: a penalty for distance, with a slope for each head."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def anywhere(tokens: int) -> list[int]:
        return torch.randperm(60, generator=generator)[:tokens].tolist()

    queries, keys = torch.randint(0, 40, (2, 5), generator=generator).tolist()
    sizes = [
        ("2 heads, 3 tokens", 2, [0, 1, 2], [0, 1, 2]),
        ("8 heads, 2 tokens", 8, [0, 1], [0, 1]),
        ("4 heads, one query after 3 cached keys", 4, [3], [0, 1, 2, 3]),
        ("1 head", 1, [0, 1], [0, 1, 2]),
        ("3 heads, no power of two", 3, [0, 1], [0, 1, 2]),
        ("6 heads, no power of two", 6, [4, 5], [3, 4, 5]),
        ("15 heads, any positions", 15, queries, keys[:4]),
        ("5 heads, one key", 5, [0, 3, 4], [2]),
        ("7 heads, positions that stand there twice", 7, [4, 4], [2, 2, 4]),
        ("40 heads, positions far apart, some before 0", 40, [5000, -3], [5001, 3, -1]),
        ("16 heads, exponents that are no whole numbers", 16, [0], [0, 1]),
        ("20 heads, 18 queries, 19 keys", 20, anywhere(18), anywhere(19)),
    ]
    return [
        Case(
            label,
            {
                "num_heads": heads,
                "query_positions": torch.tensor(queries),
                "key_positions": torch.tensor(keys),
            },
        )
        for label, heads, queries, keys in sizes
    ]


CHECK = Check(
    name="positions.alibi",
    lesson="04_positional_encoding",
    title="ALiBi for any number of heads",
    answer="alibi_bias",
    returns=("bias",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=3,
    minutes=15,
)
