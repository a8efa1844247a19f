"""attention.masked: attention under a mask, down to the query that may attend to nothing."""

import math
from collections.abc import Callable
from functools import partial

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, some, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor]


def _scores(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])


def _reference(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    scores = _scores(query, key)
    shifted = scores - torch.where(mask, scores, -torch.inf).amax(-1, keepdim=True).nan_to_num(
        neginf=0.0
    )
    exponentials = torch.where(mask, torch.where(mask, shifted, 0.0).exp(), 0.0)
    total = exponentials.sum(-1, keepdim=True)
    weights = exponentials / torch.where(total > 0, total, 1.0)
    return weights @ value, weights


def _inputs(
    draw: Draw, leading: tuple[int, ...], mask: Tensor, d_head: int = 4
) -> dict[str, Tensor]:
    queries, keys = mask.shape[-2:]
    return {
        "query": draw(*leading, queries, d_head),
        "key": draw(*leading, keys, d_head),
        "value": draw(*leading, keys, 2),
        "mask": mask,
    }


def _draw(generator: Generator) -> list[Case]:
    by_hand, at_random = partial(tidy, generator), partial(normal, generator)
    small = torch.tensor([[True, False, True], [True, True, False]])
    empty = torch.tensor([[True, False, True], [False, False, False]])
    cached = torch.tensor([[True] * 4 + [False], [True] * 5])
    padding = torch.tensor([[[[True] * 5] * 4], [[[True, True, False, False, False]] * 4]])

    hidden = _inputs(by_hand, (), small)
    hidden["value"][1, 0] = 1e6
    low = _inputs(by_hand, (), small)
    low["query"] = low["query"].abs() + 1
    low["key"] -= 250
    apart = _inputs(by_hand, (), small)
    apart["query"] = (apart["query"].abs() + 1) * torch.tensor([[1.0], [-1.0]])
    apart["key"] += 250
    high = _inputs(by_hand, (), torch.tensor([[True, False, True], [True, False, True]]))
    high["query"] = high["query"].abs() + 1
    high["key"][1] += 500
    for_all_queries = _inputs(at_random, (2, 3), padding, d_head=6)
    for_all_queries["mask"] = padding[:, :, :1]
    return [
        Case("2 queries, 3 keys", _inputs(by_hand, (), small)),
        Case("3 queries, 3 keys", _inputs(by_hand, (), torch.ones(3, 3).tril().bool())),
        Case("a value of a million behind the mask", hidden),
        Case("scores around -500", low),
        Case("one row of scores around 500, one around -500", apart),
        Case("hidden scores far above the others", high),
        Case("2 queries, 5 keys", _inputs(by_hand, (), cached)),
        Case("a query that may attend to nothing", _inputs(by_hand, (), empty)),
        Case("batch 2, heads 3, a mask of one row for all queries", for_all_queries),
        Case("gradients", _inputs(at_random, (2,), some(generator, 3, 4)), gradients=True),
        Case("gradients beside an empty row", _inputs(by_hand, (), empty), gradients=True),
    ]


def _filled(with_number: float) -> Callable[..., Result]:
    def answer(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
        weights = _scores(query, key).masked_fill(~mask, with_number).softmax(-1)
        return weights @ value, weights

    return answer


def _after_softmax(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    weights = _scores(query, key).softmax(-1) * mask
    return weights @ value, weights


def _after_softmax_renormalised(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    weights = _scores(query, key).softmax(-1) * mask
    weights = weights / weights.sum(-1, keepdim=True)
    return weights @ value, weights


def _after_softmax_guarded(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    weights = _scores(query, key).softmax(-1) * mask
    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
    return weights @ value, weights


def _inverted(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    return _reference(query, key, value, ~mask)


def _added(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    weights = (_scores(query, key) + mask).softmax(-1)
    return weights @ value, weights


def _ignored(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    weights = _scores(query, key).softmax(-1)
    return weights @ value, weights


def _nan_replaced(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    additive = torch.zeros_like(mask, dtype=query.dtype).masked_fill(~mask, -torch.inf)
    weights = (_scores(query, key) + additive).softmax(-1).nan_to_num(0.0)
    return weights @ value, weights


def _output_only(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    weights = _scores(query, key).masked_fill(~mask, torch.finfo(query.dtype).min).softmax(-1)
    return (weights @ value).masked_fill(~mask.any(-1, keepdim=True), 0.0), weights


def _values_masked(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    weights = _scores(query, key).softmax(-1)
    return (weights * mask) @ value, weights


def _fixed_width(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    return _reference(query * math.sqrt(query.shape[-1]) / 8.0, key, value, mask)


def _divided_by_width(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    return _reference(query / math.sqrt(query.shape[-1]), key, value, mask)


def _unscaled(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Result:
    return _reference(query * math.sqrt(query.shape[-1]), key, value, mask)


MASKED_ATTENTION = Check(
    name="attention.masked",
    lesson="02_self_attention",
    title="Attention under a mask",
    answer="masked_attention",
    returns=("output", "weights"),
    points=3,
    difficulty=4,
    importance=5,
    minutes=15,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"attention"}),
    # The case at -500 loses digits in float32: scores of 500 are exact to 3e-5 only.
    atol=1e-4,
    slips=(
        Misconception(
            "-inf and an empty row",
            _filled(-torch.inf),
            "a query that may attend to nothing gets NaN: its row of -inf has no softmax",
            "Fill with the lowest finite number, and set the hidden weights to 0 afterwards.",
        ),
        Misconception(
            "-1e9 and an empty row",
            _filled(-1e9),
            "a query that may attend to nothing averages everything: its scores are all equal",
            "After the softmax the masked weights must be exactly 0, in such a row too.",
        ),
        Misconception(
            "NaN replaced afterwards",
            _nan_replaced,
            "the values are right, but the gradient beside an empty row is NaN",
            "nan_to_num repairs the forward pass alone. Replace the hidden scores by a finite "
            "number, so that no NaN arises.",
        ),
        Misconception(
            "weights of an empty row left",
            _output_only,
            "the output of an empty row is 0, its weights are not",
            "Zero the weights; the output follows from them.",
        ),
        Misconception(
            "mask after the softmax",
            _after_softmax,
            "the mask comes after the softmax: rows no longer sum to one",
            "Hidden keys must not take part in the softmax. Which numbers does it see?",
        ),
        Misconception(
            "mask after the softmax, renormalised",
            _after_softmax_renormalised,
            "the mask comes after the softmax: where hidden scores are large, nothing is left "
            "to renormalise",
            "Hidden keys must not take part in the softmax. Which numbers does it see?",
        ),
        Misconception(
            "mask after the softmax, guarded",
            _after_softmax_guarded,
            "the mask comes after the softmax: where hidden scores are large, no weight is left",
            "Hidden keys must not take part in the softmax. Which numbers does it see?",
        ),
        Misconception(
            "only the output is masked",
            _values_masked,
            "the weights that come back are not masked",
            "Mask the scores; weights and output follow.",
        ),
        Misconception(
            "filled with 0",
            _filled(0.0),
            "hidden scores become 0, which is an ordinary score",
            "A weight of zero needs a score far below all others.",
        ),
        Misconception(
            "filled with -10",
            _filled(-10.0),
            "hidden scores are set to -10: a small weight is left",
            "Masked must mean exactly zero, whatever the other scores are.",
        ),
        Misconception(
            "filled with -100",
            _filled(-100.0),
            "hidden scores are set to -100, which is not low beside scores of -500",
            "Masked must mean exactly zero, whatever the other scores are.",
        ),
        Misconception(
            "inverted",
            _inverted,
            "the mask is used the wrong way round",
            "True means: may attend. Fill where the mask is False: `~mask`.",
        ),
        Misconception(
            "boolean mask added",
            _added,
            "the boolean mask is added to the scores: True counts as 1",
            "Use masked_fill or torch.where.",
        ),
        Misconception(
            "mask ignored",
            _ignored,
            "the mask has no effect",
            "Where do the scores of hidden keys change?",
        ),
        Misconception(
            "a fixed width of 64",
            _fixed_width,
            "the divisor is always 8 = √64",
            "Read the width from the query's shape.",
        ),
        Misconception(
            "divided by d_head",
            _divided_by_width,
            "the scores are divided by d_head, not by its square root",
            "A sum of d_head terms of variance 1 has a spread of √d_head.",
        ),
        Misconception(
            "not scaled",
            _unscaled,
            "the scores are not scaled",
            "What does eq. 1 divide the scores by?",
        ),
    ),
    hints=(
        "Fill the hidden scores before the softmax. With what number?",
        "-inf is fine until a whole row is hidden; then the softmax is 0/0. "
        "`torch.finfo(scores.dtype).min` is finite.",
        "In an empty row that leaves a uniform average. A second fill, of the weights this time, "
        "sets every hidden weight to 0.",
    ),
)
