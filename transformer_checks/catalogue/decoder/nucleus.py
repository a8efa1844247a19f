"""decoder.nucleus: keep the fewest words that together reach p."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def logits(*shape: int) -> Tensor:
        """Steps of more than a half, in random order, so that no two words tie."""
        steps = 0.5 + torch.rand(shape, generator=generator)
        order = torch.rand(shape, generator=generator).argsort(-1)
        return (steps.cumsum(-1) - steps.sum(-1, keepdim=True)).gather(-1, order)

    def nearly_equal() -> Tensor:
        return logits(2, 18) * torch.tensor([[0.2], [1e-4]])

    by_hand = torch.tensor([0.15, 0.5, 0.05, 0.3])[torch.randperm(4, generator=generator)].log()
    flat = torch.tensor([0.23, 0.21, 0.2, 0.19, 0.17])
    mixed = torch.stack([torch.tensor([0.9, 0.04, 0.03, 0.02, 0.01]), flat]).log()
    mixed = mixed[:, torch.randperm(5, generator=generator)] + 3.0
    many = torch.linspace(0, 3, 1100)[torch.randperm(1100, generator=generator)]
    far = 0.4 * logits(2, 5) + torch.tensor([[1000.0], [-20_000.0]])
    return [
        Case("probabilities 0.5, 0.3, 0.15, 0.05 in some order", {"logits": by_hand, "top_p": 0.7}),
        Case("the same, top_p 0.9", {"logits": by_hand.clone(), "top_p": 0.9}),
        Case("top_p smaller than any probability", {"logits": by_hand.clone(), "top_p": 0.01}),
        Case("one sure row, one flat row", {"logits": mixed, "top_p": 0.6}),
        Case("3 rows of 7 words", {"logits": 0.5 * logits(3, 7), "top_p": 0.8}),
        Case("(2, 2, 6)", {"logits": 0.4 * logits(2, 2, 6), "top_p": 0.5}),
        Case("(1, 3, 5)", {"logits": 0.4 * logits(1, 3, 5), "top_p": 0.7}),
        Case("(3, 2, 5)", {"logits": 0.4 * logits(3, 2, 5), "top_p": 0.7}),
        Case("top_p 1", {"logits": logits(2, 4), "top_p": 1.0}),
        Case("logits around 1000 and around -20 000", {"logits": far, "top_p": 0.7}),
        # The sum of a row in float32 is just below 1 in some of them.
        Case("60 rows of 6 words, top_p 1", {"logits": logits(60, 6), "top_p": 1.0}),
        Case("ten words, nearly all of them kept", {"logits": 0.1 * logits(1, 10), "top_p": 0.95}),
        Case("18 words, nearly equal in one row", {"logits": nearly_equal(), "top_p": 0.8}),
        Case("1100 words, nearly all of them kept", {"logits": many, "top_p": 0.99}),
    ]


CHECK = Check(
    name="decoder.nucleus",
    lesson="06_decoder",
    title="Top-p: the nucleus",
    answer="nucleus",
    returns=("probabilities",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=2,
    minutes=12,
)
