"""decoder.nucleus: keep the fewest words that together reach p."""

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _kept(logits: Tensor, top_p: float) -> Tensor:
    probability = logits.softmax(-1)
    # What stands before a word: the sum over all that are more probable.
    before = torch.where(
        probability[..., None, :] > probability[..., :, None], probability[..., None, :], 0.0
    ).sum(-1)
    return before < top_p


def _renormalised(probability: Tensor, kept: Tensor) -> Tensor:
    probability = probability * kept
    return probability / probability.sum(-1, keepdim=True)


def _reference(logits: Tensor, top_p: float) -> Tensor:
    return _renormalised(logits.softmax(-1), _kept(logits, top_p))


def _draw(generator: Generator) -> list[Case]:
    def logits(*shape: int) -> Tensor:
        """Steps of more than a half, in random order, so that no two words tie."""
        steps = 0.5 + torch.rand(shape, generator=generator)
        order = torch.rand(shape, generator=generator).argsort(-1)
        return (steps.cumsum(-1) - steps.sum(-1, keepdim=True)).gather(-1, order)

    by_hand = torch.tensor([0.15, 0.5, 0.05, 0.3])[torch.randperm(4, generator=generator)].log()
    flat = torch.tensor([0.23, 0.21, 0.2, 0.19, 0.17])
    mixed = torch.stack([torch.tensor([0.9, 0.04, 0.03, 0.02, 0.01]), flat]).log()
    mixed = mixed[:, torch.randperm(5, generator=generator)] + 3.0
    return [
        Case("probabilities 0.5, 0.3, 0.15, 0.05 in some order", {"logits": by_hand, "top_p": 0.7}),
        Case("the same, top_p 0.9", {"logits": by_hand.clone(), "top_p": 0.9}),
        Case("top_p smaller than any probability", {"logits": by_hand.clone(), "top_p": 0.01}),
        Case("one sure row, one flat row", {"logits": mixed, "top_p": 0.6}),
        Case("3 rows of 7 words", {"logits": 0.5 * logits(3, 7), "top_p": 0.8}),
        Case("(2, 2, 6)", {"logits": 0.4 * logits(2, 2, 6), "top_p": 0.5}),
        Case("top_p 1", {"logits": logits(2, 4), "top_p": 1.0}),
    ]


def _crossing_dropped(logits: Tensor, top_p: float) -> Tensor:
    probability = logits.softmax(-1)
    ordered, order = probability.sort(dim=-1, descending=True)
    inside = ordered.cumsum(-1) <= top_p + 1e-6
    return _renormalised(probability, inside.gather(-1, order.argsort(-1)))


def _crossing_dropped_guarded(logits: Tensor, top_p: float) -> Tensor:
    probability = logits.softmax(-1)
    ordered, order = probability.sort(dim=-1, descending=True)
    inside = ordered.cumsum(-1) <= top_p + 1e-6
    inside[..., 0] = True
    return _renormalised(probability, inside.gather(-1, order.argsort(-1)))


def _not_sorted_back(logits: Tensor, top_p: float) -> Tensor:
    ordered = logits.softmax(-1).sort(dim=-1, descending=True).values
    return _renormalised(ordered, ordered.cumsum(-1) - ordered < top_p)


def _mask_not_sorted_back(logits: Tensor, top_p: float) -> Tensor:
    probability = logits.softmax(-1)
    ordered = probability.sort(dim=-1, descending=True).values
    return _renormalised(probability, ordered.cumsum(-1) - ordered < top_p)


def _not_sorted(logits: Tensor, top_p: float) -> Tensor:
    probability = logits.softmax(-1)
    return _renormalised(probability, probability.cumsum(-1) - probability < top_p)


def _order_taken_twice(logits: Tensor, top_p: float) -> Tensor:
    probability = logits.softmax(-1)
    ordered, order = probability.sort(dim=-1, descending=True)
    inside = ordered.cumsum(-1) - ordered < top_p
    return _renormalised(probability, inside.gather(-1, order))


def _rare_kept(logits: Tensor, top_p: float) -> Tensor:
    probability = logits.softmax(-1)
    ordered, order = probability.sort(dim=-1)
    inside = ordered.cumsum(-1) - ordered < top_p
    return _renormalised(probability, inside.gather(-1, order.argsort(-1)))


def _same_number_for_all(logits: Tensor, top_p: float) -> Tensor:
    flat = logits.flatten(0, -2) if logits.dim() > 1 else logits[None]
    count = int(_kept(flat[0], top_p).sum())
    least = logits.topk(count).values[..., -1:]
    return _renormalised(logits.softmax(-1), logits >= least)


def _relative_to_best(logits: Tensor, top_p: float) -> Tensor:
    probability = logits.softmax(-1)
    return _renormalised(probability, probability >= top_p * probability.amax(-1, keepdim=True))


def _as_logits(logits: Tensor, top_p: float) -> Tensor:
    return logits.masked_fill(~_kept(logits, top_p), -torch.inf)


NUCLEUS = Check(
    name="decoder.nucleus",
    lesson="06_decoder",
    title="Top-p: the nucleus",
    answer="nucleus",
    returns=("probabilities",),
    points=2,
    difficulty=3,
    importance=2,
    minutes=12,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "the word that reaches p is dropped",
            _crossing_dropped,
            "the word with which the sum reaches top_p is dropped: what is left does not reach it",
            "The words kept must *reach* top_p together. May the one that crosses it go?",
        ),
        Misconception(
            "the word that reaches p is dropped, one kept",
            _crossing_dropped_guarded,
            "the word with which the sum reaches top_p is dropped, unless it is the first",
            "A word stays if those *before* it do not reach top_p without it.",
        ),
        Misconception(
            "result in sorted order",
            _not_sorted_back,
            "the probabilities come back sorted: they belong to other words now",
            "Column i must still belong to word i. How is a sort undone?",
        ),
        Misconception(
            "mask in sorted order",
            _mask_not_sorted_back,
            "the mask is in sorted order, the probabilities are not",
            "Column i of the mask must belong to word i. How is a sort undone?",
        ),
        Misconception(
            "sort undone the wrong way",
            _order_taken_twice,
            "the mask is gathered with the order itself, which sorts it a second time",
            "The inverse of a permutation is `order.argsort(-1)`; or use scatter.",
        ),
        Misconception(
            "not sorted",
            _not_sorted,
            "the sum runs in the order of the vocabulary",
            "The most probable words come first. Sort before you sum.",
        ),
        Misconception(
            "least probable first",
            _rare_kept,
            "the sum starts with the least probable words",
            "`sort` is ascending unless told otherwise.",
        ),
        Misconception(
            "nothing cut off",
            lambda logits, top_p: logits.softmax(-1),
            "no word is cut off: this is the softmax of all logits",
            "Which words may go because those before them already reach top_p?",
        ),
        Misconception(
            "not renormalised",
            lambda logits, top_p: logits.softmax(-1) * _kept(logits, top_p),
            "the probabilities that are left do not sum to one",
            "Divide by their sum.",
        ),
        Misconception(
            "the same number of words in every row",
            _same_number_for_all,
            "every row keeps as many words as the first one",
            "A sure row needs one word, a flat row many: each row decides for itself.",
        ),
        Misconception(
            "relative to the best word",
            _relative_to_best,
            "words are kept by their share of the best word's probability",
            "That is another filter. Here it is the *sum* that must reach top_p.",
        ),
        Misconception(
            "logits come back",
            _as_logits,
            "these are logits, with -inf for what is hidden",
            "Return probabilities: positive or zero, with sum one.",
        ),
    ),
    hints=(
        "Work by hand: of 0.5, 0.3, 0.15, 0.05 and top_p 0.7, which words are kept?",
        "Sort the probabilities, the largest first. `cumsum - probability` is the sum of those "
        "before each.",
        "Bring the mask back with `inside.gather(-1, order.argsort(-1))`, multiply, and divide by "
        "the sum.",
    ),
)
