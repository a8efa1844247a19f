"""flash.log_sum_exp: the one number that remembers a row."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _reference(scores: Tensor) -> Tensor:
    maximum = scores.amax(-1)
    shift = torch.where(maximum.isinf(), 0.0, maximum)
    return shift + (scores - shift[..., None]).exp().sum(-1).log()


def _draw(generator: Generator) -> list[Case]:
    empty = tidy(generator, 2, 3)
    empty[1] = -torch.inf
    masked = tidy(generator, 2, 4)
    masked[0, 1:3] = -torch.inf
    levels = torch.tensor([[-200.0], [0.0], [200.0]])
    return [
        Case("two rows of three scores", {"scores": tidy(generator, 2, 3)}),
        Case("batch 2, 4 queries, 5 keys", {"scores": 3 * normal(generator, 2, 4, 5)}),
        Case("two masked keys", {"scores": masked}),
        Case("scores around -200", {"scores": -200 + tidy(generator, 2, 3)}),
        Case("scores around 200", {"scores": 200 + tidy(generator, 2, 3)}),
        Case("rows at -200, 0 and 200", {"scores": levels + tidy(generator, 3, 4)}),
        Case("a row that spans 300", {"scores": torch.tensor([[-100.0, 0.0, 200.0, 199.0]])}),
        Case("a row in which every key is masked", {"scores": empty}),
    ]


def _no_maximum(scores: Tensor) -> Tensor:
    return scores.exp().sum(-1).log()


def _maximum_of_everything(scores: Tensor) -> Tensor:
    return scores.max() + (scores - scores.max()).exp().sum(-1).log()


def _maximum_not_added(scores: Tensor) -> Tensor:
    return _reference(scores) - scores.amax(-1).nan_to_num(neginf=0.0)


def _mean(scores: Tensor) -> Tensor:
    return _reference(scores) - torch.log(torch.tensor(float(scores.shape[-1])))


def _maximum_only(scores: Tensor) -> Tensor:
    return scores.amax(-1)


def _sum_of_logs(scores: Tensor) -> Tensor:
    return (scores - scores.amax(-1, keepdim=True)).sum(-1) + scores.amax(-1)


def _empty_is_nan(scores: Tensor) -> Tensor:
    maximum = scores.amax(-1)
    return maximum + (scores - maximum[..., None]).exp().sum(-1).log()


def _base_two(scores: Tensor) -> Tensor:
    return _reference(scores) / torch.log(torch.tensor(2.0))


def _over_queries(scores: Tensor) -> Tensor:
    return _reference(scores.mT)


LOG_SUM_EXP = Check(
    name="flash.log_sum_exp",
    lesson="09_flash_attention",
    title="Log-sum-exp",
    answer="log_sum_exp",
    returns=("log_sum_exp",),
    points=1,
    difficulty=2,
    importance=4,
    minutes=6,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"softmax", "logsumexp"}),
    rtol=1e-5,
    atol=1e-5,
    slips=(
        Misconception(
            "no maximum subtracted",
            _no_maximum,
            "the exponentials overflow or vanish before the logarithm is taken",
            "Take the maximum out of the sum first; what do you owe it afterwards?",
        ),
        Misconception(
            "one maximum for all rows",
            _maximum_of_everything,
            "one maximum is taken from all rows: a row far below it underflows",
            "Take from each row its own maximum.",
        ),
        Misconception(
            "maximum not added back",
            _maximum_not_added,
            "the maximum is subtracted inside the sum and not added again",
            "The logarithm of e^m times something is m plus its logarithm.",
        ),
        Misconception(
            "mean instead of sum",
            _mean,
            "the exponentials are averaged: the result is too small by the log of the row's length",
            "The denominator of a softmax is a sum.",
        ),
        Misconception(
            "the maximum alone",
            _maximum_only,
            "the result is the maximum, which is only near it when one score stands out",
            "What does a second key with the same score add?",
        ),
        Misconception(
            "sum without exponential",
            _sum_of_logs,
            "the scores are summed themselves, not their exponentials",
            "Read the name from right to left: exp, sum, log.",
        ),
        Misconception(
            "NaN in an empty row",
            _empty_is_nan,
            "a row of nothing but -inf gives NaN: -inf minus -inf is no number",
            "Subtract 0 in that row. The sum is 0, and its logarithm -inf, as it should be.",
        ),
        Misconception(
            "logarithm to base 2",
            _base_two,
            "the logarithm is to base 2, the exponential to base e",
            "Both must have the same base.",
        ),
        Misconception(
            "sum over the queries",
            _over_queries,
            "the sum runs over the queries: there is one number for each key",
            "There is one log-sum-exp for each query.",
        ),
    ),
    hints=(
        "log of a sum of e^s equals m + log of a sum of e^(s - m), for any m.",
        "With m the row's maximum nothing overflows. In a row of -inf take m = 0.",
    ),
)
