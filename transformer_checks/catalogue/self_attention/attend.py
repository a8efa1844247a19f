"""attention.attend: scores, weights, and the average of the values."""

import math

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception


def _reference_scores(query: Tensor, key: Tensor) -> Tensor:
    return torch.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5


def _unscaled(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1)


def _heads(query: Tensor) -> int:
    return query.shape[-3] if query.dim() > 3 else 1


def _reference_attend(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = _reference_scores(query, key)
    exponentials = torch.exp(scores - scores.amax(-1, keepdim=True))
    weights = exponentials / exponentials.sum(-1, keepdim=True)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights


def _draw_attend(generator: Generator) -> list[Case]:
    def triple(
        draw: Draw,
        leading: tuple[int, ...],
        queries: int,
        keys: int,
        d_head: int,
        d_value: int,
        scale: float = 1.0,
    ) -> dict[str, Value]:
        return {
            "query": scale * draw(generator, *leading, queries, d_head),
            "key": draw(generator, *leading, keys, d_head),
            "value": draw(generator, *leading, keys, d_value),
        }

    return [
        Case("2 queries, 3 keys, d_head 4, d_value 2", triple(tidy, (), 2, 3, 4, 2)),
        Case("4 tokens, d_head and d_value 3", triple(tidy, (), 4, 4, 3, 3)),
        Case("large scores", triple(normal, (), 3, 5, 4, 2, 1000.0)),
        Case("batch 2, heads 3, 5 queries, 7 keys", triple(normal, (2, 3), 5, 7, 8, 6)),
        Case("one key", triple(normal, (2,), 3, 1, 4, 2)),
        Case("gradients", triple(normal, (2,), 3, 4, 5, 2), gradients=True),
    ]


def _with_weights(weights: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    return weights @ value, weights


def _over_queries(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    return _with_weights(_reference_scores(query, key).softmax(-2), value)


def _attend_unscaled(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    return _with_weights(_unscaled(query, key).softmax(-1), value)


def _scaled_after_softmax(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    weights = _unscaled(query, key).softmax(-1) / math.sqrt(query.shape[-1])
    return _with_weights(weights, value)


def _attend_over_d_head(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    return _with_weights((_unscaled(query, key) / query.shape[-1]).softmax(-1), value)


def _scaled_by_d_value(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    weights = (_unscaled(query, key) / math.sqrt(value.shape[-1])).softmax(-1)
    return _with_weights(weights, value)


def _fixed_width(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    return _with_weights((_unscaled(query, key) / 8.0).softmax(-1), value)


def _scaled_by_d_model(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    weights = (_unscaled(query, key) / math.sqrt(query.shape[-1] * _heads(query))).softmax(-1)
    return _with_weights(weights, value)


def _averages_keys(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    return _with_weights(_reference_attend(query, key, value)[1], key)


def _no_softmax(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    return _with_weights(_reference_scores(query, key), value)


def _attend_no_maximum(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    exponentials = _reference_scores(query, key).exp()
    return _with_weights(exponentials / exponentials.sum(-1, keepdim=True), value)


def _attend_softmax_twice(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    return _with_weights(_reference_attend(query, key, value)[1].softmax(-1), value)


def _swapped_results(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    output, weights = _reference_attend(query, key, value)
    return weights, output


def _detached_weights(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    return _with_weights(_reference_attend(query, key, value)[1].detach(), value)


def _hardest_key(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = _reference_scores(query, key)
    chosen = torch.nn.functional.one_hot(scores.argmax(-1), scores.shape[-1])
    return _with_weights(chosen.to(value.dtype), value)


ATTEND = Check(
    name="attention.attend",
    lesson="02_self_attention",
    title="Scaled dot-product attention",
    answer="attend",
    returns=("output", "weights"),
    points=2,
    difficulty=2,
    importance=5,
    minutes=8,
    draw=_draw_attend,
    reference=_reference_attend,
    forbidden=frozenset({"attention"}),
    slips=(
        Misconception(
            "softmax over the queries",
            _over_queries,
            "the columns of the weights sum to one: the softmax runs over the queries",
            "Each query shares out one unit of attention over the keys. Which axis is that?",
        ),
        Misconception(
            "not scaled",
            _attend_unscaled,
            "the scores are not scaled: the weights are too sure of themselves",
            "What does eq. 1 divide the scores by?",
        ),
        Misconception(
            "scaled after the softmax",
            _scaled_after_softmax,
            "the weights are divided instead of the scores: rows no longer sum to one",
            "Scale first, softmax second.",
        ),
        Misconception(
            "divided by d_head",
            _attend_over_d_head,
            "the scores are divided by d_head, not by its square root",
            "The divisor is the standard deviation of a sum of d_head terms.",
        ),
        Misconception(
            "a fixed width of 64",
            _fixed_width,
            "the divisor is always 8 = √64",
            "Read the width from the query's shape.",
        ),
        Misconception(
            "scaled by √d_value",
            _scaled_by_d_value,
            "the divisor is the root of the value's width",
            "Values take no part in the scores. Whose width counts?",
        ),
        Misconception(
            "scaled by √d_model",
            _scaled_by_d_model,
            "with several heads the divisor is √(heads · d_head) = √d_model",
            "The dot product has as many terms as one head is wide.",
        ),
        Misconception(
            "averages keys instead of values",
            _averages_keys,
            "the weights average the keys",
            "Keys say where to look. Which of the three says what is found there?",
        ),
        Misconception(
            "no softmax",
            _no_softmax,
            "the scores are used as weights: they may be negative and sum to anything",
            "Between the scores and the average one step is missing.",
        ),
        Misconception(
            "no maximum subtracted",
            _attend_no_maximum,
            "large scores overflow in the exponential",
            "Use the softmax of the first exercise, or torch.softmax.",
        ),
        Misconception(
            "softmax twice",
            _attend_softmax_twice,
            "softmax was applied twice: the weights are nearly uniform",
            "Once is enough.",
        ),
        Misconception(
            "results swapped",
            _swapped_results,
            "weights and output come back in the wrong order",
            "Return the output first, then the weights.",
        ),
        Misconception(
            "weights detached",
            _detached_weights,
            "no gradient reaches query and key: the weights were detached",
            "Leave out .detach(), .data, .item() and torch.tensor(…) on the way.",
        ),
        Misconception(
            "only the best key",
            _hardest_key,
            "each query takes the value of one key: that is an argmax, not an average",
            "A soft choice gives every key some weight, so that gradients can flow.",
        ),
    ),
    hints=(
        "Three steps: scores, weights, average. You have written the first two.",
        "A weighted average of rows is a matrix product: `weights @ value`.",
        "Return a pair: `return weights @ value, weights`.",
    ),
)
