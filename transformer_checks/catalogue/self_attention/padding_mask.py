"""attention.padding_mask: no query reads padding."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, tokens: list[list[int]], padding_id: int = 0) -> Case:
        return Case(label, {"tokens": torch.tensor(tokens), "padding_id": padding_id})

    long = torch.randint(10, 20, (4, 7), generator=generator)
    lengths = torch.randint(1, 8, (4,), generator=generator).tolist()
    for row, length in enumerate(lengths):
        long[row, length:] = 0
    return [
        case("two sentences, padding id 0", [[5, 8, 2], [7, 0, 0]]),
        case(
            "padding id 3, with smaller and larger ids beside it", [[1, 9, 2, 4], [6, 0, 3, 3]], 3
        ),
        case("padding on the left", [[0, 0, 6, 4, 2], [0, 9, 8, 1, 7]]),
        case("one sentence", [[4, 2, 0]]),
        case("padding between tokens", [[3, 0, 5, 4], [0, 6, 0, 2]]),
        case("four sentences of seven tokens", long.tolist()),
        case("a row of padding", [[4, 2], [1, 1]], 1),
        case("ids of a large vocabulary", [[340, 50255, 80], [11, 50256, 50256]], 50256),
        case("three sentences of one token", [[4], [0], [7]]),
        case(
            "18 sentences of 20 tokens, padding id 2",
            torch.randint(6, (18, 20), generator=generator).tolist(),
            2,
        ),
    ]


CHECK = Check(
    name="attention.padding_mask",
    lesson="02_self_attention",
    title="The padding mask",
    answer="padding_mask",
    returns=("mask",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=4,
    minutes=8,
)
