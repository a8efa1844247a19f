"""positions.alibi: a penalty for distance, with a slope for each head."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, num_heads: int, queries: list[int], keys: list[int]) -> Case:
        of = {"query_positions": torch.tensor(queries), "key_positions": torch.tensor(keys)}
        return Case(label, {"num_heads": num_heads, **of})

    return [
        case("2 heads, 3 tokens", 2, [0, 1, 2], [0, 1, 2]),
        case("8 heads, 2 tokens", 8, [0, 1], [0, 1]),
        case("4 heads, one query after 3 cached keys", 4, [3], [0, 1, 2, 3]),
        case("3 heads, no power of two", 3, [0, 1], [0, 1, 2]),
        case("6 heads, no power of two", 6, [4, 5], [3, 4, 5]),
        case("15 heads, positions that stand there twice", 15, [4, 4], [2, 2, 4]),
        case("40 heads, positions far apart, some before 0", 40, [5000, -3], [5001, 3, -1]),
        case("16 heads, exponents that are no whole numbers", 16, [0], [0, 1]),
        *ordinary(
            generator,
            gradients=False,
            num_heads="=heads",
            query_positions="<60 queries",
            key_positions="<60 keys",
        ),
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
