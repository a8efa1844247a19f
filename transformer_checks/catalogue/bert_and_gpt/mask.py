"""bert.mask: one body, two masks."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, tokens: Tensor, padding_id: int, causal: bool) -> Case:
        return Case(label, {"tokens": tokens, "padding_id": padding_id, "causal": causal})

    small = torch.tensor([[5, 8, 6], [7, 9, 0]])
    small = torch.where(small > 0, small + torch.randint(5, (1,), generator=generator), 0)
    left = torch.tensor([[2, 2, 6, 4, 1], [2, 9, 8, 2, 7], [2, 2, 2, 2, 2]])
    long = torch.randint(10, 20, (4, 7), generator=generator)
    for row, length in zip(long, torch.randint(2, 7, (4,), generator=generator), strict=True):
        row[length:] = 0
    many = torch.randint(30, (20, 18), generator=generator)
    many = torch.where(torch.rand(20, 18, generator=generator) < 0.3, 23, many)
    return [
        case("two texts, both sides in view", small, 0, False),
        case("the same two texts, causal", small, 0, True),
        case("padding id 2, on the left and between words, both sides in view", left, 2, False),
        case("padding id 2, on the left and between words, causal", left, 2, True),
        case("four texts, both sides in view", long, 0, False),
        case("four texts, causal", long, 0, True),
        case("one text, causal", small[1:], 0, True),
        case("texts of one token, one of them padding", torch.tensor([[8], [3]]), 3, True),
        case("20 texts of 18 tokens, padding id 23 anywhere, causal", many, 23, True),
        case("one text of nothing but padding", torch.full((1, 3), 3), 3, False),
        case("a text of 130 tokens, causal", torch.arange(130)[None], 3, True),
        case("texts of two tokens, causal", torch.tensor([[8, 3], [4, 6]]), 3, True),
    ]


CHECK = Check(
    name="bert.mask",
    lesson="08_bert_and_gpt",
    title="One body, two masks",
    answer="attention_mask",
    returns=("mask",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=5,
    minutes=8,
)
