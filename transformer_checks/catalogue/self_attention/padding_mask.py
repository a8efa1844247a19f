"""attention.padding_mask: no query reads padding."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, tokens: list[list[int]], padding_id: int = 0) -> Case:
        return Case(label, {"tokens": torch.tensor(tokens), "padding_id": padding_id})

    beside = "padding id 3, with smaller and larger ids beside it"
    return [
        case("two sentences, padding id 0", [[5, 8, 2], [7, 0, 0]]),
        case(beside, [[1, 9, 2, 4], [6, 0, 3, 3]], 3),
        case("padding on the left", [[0, 0, 6, 4, 2], [0, 9, 8, 1, 7]]),
        case("a row of padding", [[4, 2], [1, 1]], 1),
        case("ids of a large vocabulary", [[340, 50255, 80], [11, 50256, 50256]], 50256),
        *ordinary(generator, gradients=False, tokens="<5 batch tokens", padding_id="=2"),
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
