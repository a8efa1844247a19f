"""decoder.mask: the causal and the padding mask in one."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, tokens: list[list[int]], padding_id: int = 0) -> Case:
        return Case(label, {"tokens": torch.tensor(tokens), "padding_id": padding_id})

    beside = "padding id 3, with smaller and larger ids beside it"
    book = torch.randint(1, 9, (1, 600), generator=generator).tolist()
    large = [[50_256, 128_000, 7, 128_001]]
    return [
        case("two sentences, padding on the right", [[5, 8, 2], [7, 4, 0]]),
        case("padding on the left of all", [[0, 0, 6, 4], [0, 8, 1, 7]]),
        case(beside, [[3, 0, 2], [3, 9, 0], [4, 1, 3]], 3),
        case("one sentence without padding", [[4, 2, 9]]),
        case("a text of 600 tokens", book),
        case("ids of a large vocabulary", large, 128_001),
        *ordinary(generator, gradients=False, tokens="<5 batch tokens", padding_id="=3"),
    ]


CHECK = Check(
    name="decoder.mask",
    lesson="06_decoder",
    title="The mask of a decoder",
    answer="decoder_mask",
    returns=("mask",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=5,
    minutes=8,
)
