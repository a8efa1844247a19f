"""attention.softmax: from scores to weights."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _reference(scores: Tensor) -> Tensor:
    exponentials = torch.exp(scores - scores.amax(-1, keepdim=True))
    return exponentials / exponentials.sum(-1, keepdim=True)


def _draw(generator: Generator) -> list[Case]:
    levels = torch.tensor([[-1000.0], [0.0], [1000.0]])
    return [
        Case("two rows of three scores", {"scores": tidy(generator, 2, 3)}),
        Case("one row of four scores, no row axis", {"scores": tidy(generator, 4)}),
        Case("scores around 1000", {"scores": 1000 + tidy(generator, 2, 3)}),
        Case("scores around -1000", {"scores": -1000 + tidy(generator, 2, 3)}),
        Case("rows at -1000, 0 and 1000", {"scores": levels + tidy(generator, 3, 4)}),
        Case(
            "a batch, its rows at -1000, 0 and 1000",
            {"scores": levels + tidy(generator, 2, 3, 4)},
        ),
        Case("a row that spans 2000", {"scores": torch.tensor([[-1000.0, 0.0, 1000.0, 999.0]])}),
        Case("batch 2, heads 3, 4 queries, 5 keys", {"scores": 3 * normal(generator, 2, 3, 4, 5)}),
        Case(
            "a transposed view, not contiguous",
            {"scores": normal(generator, 2, 5, 4).transpose(1, 2)},
        ),
    ]


def _no_maximum(scores: Tensor) -> Tensor:
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


def _over_queries(scores: Tensor) -> Tensor:
    return scores.softmax(max(scores.dim() - 2, 0))


def _over_first_axis(scores: Tensor) -> Tensor:
    return scores.softmax(0)


def _over_second_axis(scores: Tensor) -> Tensor:
    return scores.softmax(1 if scores.dim() > 1 else 0)


def _over_everything(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum()


def _one_maximum(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


def _largest_magnitude(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.abs().amax(-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


def _mean_subtracted(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.mean(-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


def _not_normalised(scores: Tensor) -> Tensor:
    return (scores - scores.amax(-1, keepdim=True)).exp()


def _twice(scores: Tensor) -> Tensor:
    return scores.softmax(-1).softmax(-1)


def _logarithm(scores: Tensor) -> Tensor:
    return scores.log_softmax(-1)


def _shares(scores: Tensor) -> Tensor:
    return scores / scores.sum(-1, keepdim=True)


def _euclidean(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(-1, keepdim=True)).exp()
    return exponentials / exponentials.norm(dim=-1, keepdim=True)


def _clamped(scores: Tensor) -> Tensor:
    return scores.clamp(-80, 80).softmax(-1)


def _epsilon(scores: Tensor) -> Tensor:
    return scores.exp() / (scores.exp().sum(-1, keepdim=True) + 1e-9)


SOFTMAX = Check(
    name="attention.softmax",
    lesson="02_self_attention",
    title="Softmax that does not overflow",
    answer="softmax",
    returns=("weights",),
    points=1,
    difficulty=2,
    importance=5,
    minutes=5,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"softmax", "attention"}),
    # Scores are given, not computed, so little rounding is left: an epsilon of 1e-3 shows.
    rtol=2e-4,
    atol=1e-7,
    slips=(
        Misconception(
            "no maximum subtracted",
            _no_maximum,
            "the exponential overflows: the scores go into it as they are",
            "Softmax does not change when the same number is taken from every score of a row. "
            "Which number makes the largest exponent 0?",
        ),
        Misconception(
            "epsilon instead of the maximum",
            _epsilon,
            "a small number is added to the sum, and large scores still overflow",
            "The trouble is in the exponent, not in the division.",
        ),
        Misconception(
            "clamped scores",
            _clamped,
            "the scores are cut off before the exponential, so large ones become equal",
            "Shift a row instead of cutting it: differences between scores must survive.",
        ),
        Misconception(
            "softmax over the queries",
            _over_queries,
            "the columns sum to one: the softmax runs over the queries",
            "Each query shares out its attention over the keys: which axis is that?",
        ),
        Misconception(
            "softmax over the first axis",
            _over_first_axis,
            "the softmax runs over the first axis, which is the batch when there is one",
            "Count axes from the end: the keys are always the last.",
        ),
        Misconception(
            "softmax over the second axis",
            _over_second_axis,
            "the softmax runs over axis 1, which is the heads when there are four axes",
            "Count axes from the end: the keys are always the last.",
        ),
        Misconception(
            "normalised over everything",
            _over_everything,
            "all numbers together sum to one, instead of each row",
            "A sum that keeps its axis (keepdim) gives one total for each row.",
        ),
        Misconception(
            "one maximum for all rows",
            _one_maximum,
            "one maximum is taken from all rows: a row far below it underflows to 0/0",
            "Take from each row its own maximum.",
        ),
        Misconception(
            "largest magnitude subtracted",
            _largest_magnitude,
            "the largest magnitude is subtracted: a row of negative scores underflows to 0/0",
            "The largest exponent should be 0. Which number does that for a negative row?",
        ),
        Misconception(
            "mean subtracted",
            _mean_subtracted,
            "the mean is subtracted: a score far above it still overflows",
            "The largest exponent should be 0, whatever the others are.",
        ),
        Misconception(
            "not normalised",
            _not_normalised,
            "the exponentials are not divided by their sum",
            "What must a row of weights sum to?",
        ),
        Misconception(
            "softmax twice",
            _twice,
            "softmax was applied twice: the weights are nearly uniform",
            "Weights are already weights. Once is enough.",
        ),
        Misconception(
            "log-softmax",
            _logarithm,
            "the result is the logarithm of the weights",
            "Log-probabilities suit a loss. Here the weights themselves are wanted.",
        ),
        Misconception(
            "scores divided by their sum",
            _shares,
            "the scores are divided by their sum, without an exponential",
            "Scores may be negative, weights may not. What makes any number positive?",
        ),
        Misconception(
            "divided by the Euclidean norm",
            _euclidean,
            "each row has length one instead of sum one",
            "Divide by the sum of the exponentials, not by the root of their squares.",
        ),
    ),
    hints=(
        "A row of weights is positive and sums to one. The exponential makes numbers positive; "
        "what makes them sum to one?",
        "`torch.exp(torch.tensor(1000.0))` is infinite. Adding a constant to all scores of a row "
        "changes nothing in the result: use that.",
        "Subtract `scores.amax(dim=-1, keepdim=True)`, take the exponential, divide by its sum "
        "over the same axis, again with `keepdim=True`.",
    ),
)
