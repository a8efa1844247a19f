"""flash.safe_softmax: a softmax that survives large scores and empty rows."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _reference(scores: Tensor) -> Tensor:
    maximum = scores.amax(-1, keepdim=True)
    exponentials = torch.exp(scores - torch.where(maximum.isinf(), 0.0, maximum))
    total = exponentials.sum(-1, keepdim=True)
    return exponentials / torch.where(total > 0, total, 1.0)


def _draw(generator: Generator) -> list[Case]:
    masked = tidy(generator, 2, 4)
    masked[0, 1:3] = -torch.inf
    empty = tidy(generator, 2, 3)
    empty[1] = -torch.inf
    levels = torch.tensor([[-1000.0], [0.0], [1000.0]])
    return [
        Case("two rows of three scores", {"scores": tidy(generator, 2, 3)}),
        Case("two masked keys", {"scores": masked}),
        Case("scores around 1000", {"scores": 1000 + tidy(generator, 2, 3)}),
        Case("scores around -1000", {"scores": -1000 + tidy(generator, 2, 3)}),
        Case("rows at -1000, 0 and 1000", {"scores": levels + tidy(generator, 3, 4)}),
        Case("a row that spans 300", {"scores": torch.tensor([[-100.0, 0.0, 200.0, 199.0]])}),
        Case("a row in which every key is masked", {"scores": empty}),
        Case("batch 2, heads 3, 4 queries, 5 keys", {"scores": 3 * normal(generator, 2, 3, 4, 5)}),
    ]


def _no_maximum(scores: Tensor) -> Tensor:
    exponentials = scores.exp()
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-30)


def _maximum_of_everything(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-30)


def _starts_at_zero(scores: Tensor) -> Tensor:
    exponentials = (scores - scores.amax(-1, keepdim=True).clamp(min=0)).exp()
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-30)


def _empty_is_nan(scores: Tensor) -> Tensor:
    return scores.softmax(-1)


def _empty_is_uniform(scores: Tensor) -> Tensor:
    return scores.clamp(min=-1e9).softmax(-1)


def _over_queries(scores: Tensor) -> Tensor:
    return scores.softmax(-2).nan_to_num(0.0)


def _not_normalised(scores: Tensor) -> Tensor:
    return (scores - scores.amax(-1, keepdim=True)).exp().nan_to_num(0.0)


SAFE_SOFTMAX = Check(
    name="flash.safe_softmax",
    lesson="09_flash_attention",
    title="A softmax that survives everything",
    answer="safe_softmax",
    returns=("weights",),
    points=1,
    difficulty=2,
    importance=4,
    minutes=6,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"softmax", "attention"}),
    rtol=2e-4,
    atol=1e-7,
    slips=(
        Misconception(
            "no maximum subtracted",
            _no_maximum,
            "the exponential overflows: the scores go into it as they are",
            "Which number, taken from a whole row, makes its largest exponent 0?",
        ),
        Misconception(
            "one maximum for all rows",
            _maximum_of_everything,
            "one maximum is taken from all rows: a row far below it underflows",
            "Take from each row its own maximum.",
        ),
        Misconception(
            "maximum starts at 0",
            _starts_at_zero,
            "the maximum is never below 0: a row of very negative scores underflows",
            "What is the maximum of no numbers at all? It must lose against any score.",
        ),
        Misconception(
            "NaN in an empty row",
            _empty_is_nan,
            "a row of nothing but -inf gives NaN: -inf minus -inf is no number",
            "Subtract something finite there, and see to it that you do not divide by 0.",
        ),
        Misconception(
            "an empty row shares equally",
            _empty_is_uniform,
            "a row of nothing but -inf gives equal weights: the query averages what is masked",
            "Keep the -inf: its exponential is 0, as it should be.",
        ),
        Misconception(
            "softmax over the queries",
            _over_queries,
            "the columns sum to one: the softmax runs over the queries",
            "Each query shares out its attention over the keys: which axis is that?",
        ),
        Misconception(
            "not normalised",
            _not_normalised,
            "the exponentials are not divided by their sum",
            "What must a row of weights sum to?",
        ),
    ),
    hints=(
        "First the softmax that does not overflow: subtract each row's maximum.",
        "Where the maximum is -inf, subtract 0 instead: all exponentials of that row are then 0.",
        "In such a row the sum is 0 as well. `masked_fill` turns it into 1 before you divide.",
    ),
)
