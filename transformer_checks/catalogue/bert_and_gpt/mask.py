"""bert.mask: one body, two masks."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, tokens: Tensor, padding_id: int, causal: bool) -> Case:
        return Case(label, {"tokens": tokens, "padding_id": padding_id, "causal": causal})

    small = torch.tensor([[5, 8, 6], [7, 9, 0]])
    small = torch.where(small > 0, small + torch.randint(5, (1,), generator=generator), 0)
    left = torch.tensor([[2, 2, 6, 4, 1], [2, 9, 8, 2, 7], [2, 2, 2, 2, 2]])
    return [
        case("two texts, both sides in view", small, 0, False),
        case("the same two texts, causal", small, 0, True),
        case("padding id 2, on the left and between words, both sides in view", left, 2, False),
        case("padding id 2, on the left and between words, causal", left, 2, True),
        case("a text of 130 tokens, causal", torch.arange(130)[None], 3, True),
        *ordinary(
            generator,
            gradients=False,
            tokens="<30 texts tokens ~padding_id",
            padding_id="<30",
            given={"causal": True},
        ),
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
