"""decoder.nucleus: keep the fewest words that together reach p."""

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


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


_BEFORE = "ordered.cumsum(dim=-1) - ordered < top_p"
_REACHED = "ordered.cumsum(dim=-1) <= top_p + 1e-6"  # above the rounding of the sum
_FIRST = "torch.arange(logits.shape[-1]) <= (ordered.cumsum(-1) >= top_p).int().argmax(-1, True)"
_BACK = "inside.gather(-1, order.argsort(dim=-1))"
_DIVIDED = "kept / kept.sum(dim=-1, keepdim=True)"

CHECK = Check(
    name="decoder.nucleus", lesson="06_decoder", title="Top-p: the nucleus",
    answer="nucleus", returns=("probabilities",), draw=_draw,
    points=2, difficulty=3, importance=2, minutes=12,
    slips=(
        Slip("the word that reaches p is dropped", {_BEFORE: _REACHED},
             "the word with which the sum reaches top_p is dropped: what is left does not reach it",
             "The words kept must *reach* top_p together. May the one that crosses it go?"),
        Slip("the word that reaches p is dropped, one kept",
             {_BEFORE: _REACHED, "    kept =": "    inside[..., 0] = True\n    kept ="},
             "the word with which the sum reaches top_p is dropped, unless it is the first",
             "A word stays if those *before* it do not reach top_p without it."),
        Slip("rounded sums that never reach 1", {_BEFORE: _FIRST},
             "with top_p 1 a row whose sum is rounded to just below 1 keeps its first word alone",
             "What does argmax give where no sum reaches top_p? All words must stay then."),
        Slip("exponentials overflow",
             {"logits.softmax(dim=-1)": "logits.exp() / logits.exp().sum(dim=-1, keepdim=True)"},
             "the exponential of a logit of 1000 is infinite, and that of -20 000 is zero",
             "Take the largest logit of a row away first, or use PyTorch's softmax."),
        Slip("cut off at -10 000",
             {f"probability * {_BACK}": f"logits.masked_fill(~{_BACK}, -1e4).softmax(dim=-1)"},
             "words are cut off with a logit that may lie above those of the words kept",
             "Only the differences of logits count. Which logit is below any other?"),
        Slip("result in sorted order", {f"probability * {_BACK}": "ordered * inside"},
             "the probabilities come back sorted: they belong to other words now",
             "Column i must still belong to word i. How is a sort undone?"),
        Slip("mask in sorted order", {_BACK: "inside"},
             "the mask is in sorted order, the probabilities are not",
             "Column i of the mask must belong to word i. How is a sort undone?"),
        Slip("sort undone the wrong way", {"order.argsort(dim=-1)": "order"},
             "the mask is gathered with the order itself, which sorts it a second time",
             "The inverse of a permutation is `order.argsort(-1)`; or use scatter."),
        Slip("least probable first", {", descending=True": ""},
             "the sum starts with the least probable words",
             "`sort` is ascending unless told otherwise."),
        Slip("nothing cut off", {f" * {_BACK}": ""},
             "no word is cut off: this is the softmax of all logits",
             "Which words may go because those before them already reach top_p?"),
        Slip("each word below p", {_BEFORE: "ordered < top_p"},
             "every word whose own probability is below top_p is kept, whatever stands before it",
             "It is a *sum* that must reach top_p. Which one?"),
        Slip("softmax twice", {_DIVIDED: "kept.softmax(dim=-1)"},
             "the softmax is one of probabilities: words that were cut off get e^0 each",
             "Divide by the sum of what is left."),
    ),
)
