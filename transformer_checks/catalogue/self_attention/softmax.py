"""attention.softmax: from scores to weights."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.draws import normal, tidy, uneven
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    levels = torch.tensor([[-1000.0], [0.0], [1000.0]])
    return [
        Case("two rows of three scores", {"scores": tidy(generator, 2, 3)}),
        Case("one row of four scores, no row axis", {"scores": tidy(generator, 4)}),
        Case("scores around 1000", {"scores": 1000 + tidy(generator, 2, 3)}),
        Case("scores around -1000", {"scores": -1000 + tidy(generator, 2, 3)}),
        Case("rows at -1000, 0 and 1000", {"scores": levels + tidy(generator, 3, 4)}),
        Case("a batch, its rows at -1000, 0 and 1000",
             {"scores": levels + tidy(generator, 2, 3, 4)}),
        Case("a row that spans 2000", {"scores": torch.tensor([[-1000.0, 0.0, 1000.0, 999.0]])}),
        Case("a row from -1000 to 2", {"scores": torch.tensor([[-1000.0, 2.0, 1.0, 0.0]])}),
        Case("batch 2, heads 3, 4 queries, 5 keys", {"scores": 3 * normal(generator, 2, 3, 4, 5)}),
        Case("a transposed view, not contiguous",
             {"scores": normal(generator, 2, 5, 4).transpose(1, 2)}),
        Case("one score far above the others",
             {"scores": torch.tensor([[20.0, 0.0, 1.0], [150.0, 0.0, 0.0]])}),
        Case("batch 1, one head, 2 queries, 4 keys", {"scores": normal(generator, 1, 1, 2, 4)}),
        Case("batch 3, one head, 2 queries", {"scores": normal(generator, 3, 1, 2, 4)}),
        Case("18 rows of 20 scores, rows of many sizes", {"scores": uneven(generator, 18, 20)}),
    ]


_MAXIMUM = "scores.amax(dim=-1, keepdim=True)"
_SUM = "exponentials.sum(dim=-1, keepdim=True)"
_WEIGHTS = f"exponentials / {_SUM}"

CHECK = Check(
    name="attention.softmax", lesson="02_self_attention", title="Softmax that does not overflow",
    answer="softmax", returns=("weights",), draw=_draw,
    points=1, difficulty=2, importance=5, minutes=5, forbidden=frozenset({"softmax", "attention"}),
    # Scores are given, not computed, so little rounding is left: an epsilon of 1e-4 shows.
    rtol=8e-5, atol=1e-7,
    slips=(
        Slip("no maximum subtracted", {f" - {_MAXIMUM}": ""},
             "the exponential overflows: the scores go into it as they are",
             "Softmax does not change when the same number is taken from every score of a row. "
             "Which number makes the largest exponent 0?"),
        Slip("epsilon instead of the maximum", {f" - {_MAXIMUM}": "", _SUM: f"({_SUM} + 1e-9)"},
             "a small number is added to the sum, and large scores still overflow",
             "The trouble is in the exponent, not in the division."),
        Slip("clamped scores", {f"scores - {_MAXIMUM}": "scores.clamp(-80, 80)"},
             "the scores are cut off before the exponential, so large ones become equal",
             "Shift a row instead of cutting it: differences between scores must survive."),
        families.softmax_over_queries({"dim=-1": "dim=-min(2, scores.dim())"}),
        families.softmax_over_the_first_axis({"dim=-1": "dim=0"}),
        Slip("softmax over the second axis", {"dim=-1": "dim=min(1, scores.dim() - 1)"},
             "the softmax runs over axis 1, which is the heads when there are four axes",
             "Count axes from the end: the keys are always the last."),
        Slip("one maximum for all rows", {_MAXIMUM: "scores.max()"},
             "one maximum is taken from all rows: a row far below it underflows to 0/0",
             "Take from each row its own maximum."),
        Slip("softmax twice", {_WEIGHTS: f"torch.softmax({_WEIGHTS}, dim=-1)"},
             "softmax was applied twice: the weights are nearly uniform",
             "Weights are already weights. Once is enough."),
        Slip("scores divided by their sum", {"exponentials / exponentials": "scores / scores"},
             "the scores are divided by their sum, without an exponential",
             "Scores may be negative, weights may not. What makes any number positive?"),
        Slip("powers of two", {"torch.exp(": "torch.exp2("}, "the powers are those of 2, not of e",
             "exp2 is 2 ** x. Which base has the softmax?"),
        Slip("the smallest score wins",
             {f"scores - {_MAXIMUM}": "scores.amin(dim=-1, keepdim=True) - scores"},
             "the sign of the scores is turned: the smallest gets the largest weight",
             "The largest score should get the largest weight."),
        Slip("maximum over the first axis", {_MAXIMUM: "scores.amax(dim=0, keepdim=True)"},
             "the maximum is taken along the first axis: the scores of a row lose unequal amounts",
             "What is taken from a row must be the same for all of its scores."),
    ),
)
