"""From the textbook softmax to one that sees its row in pieces (lesson 09).

A piece of a row is summed up in three numbers: its maximum, the sum of its exponentials, and its
weighted values. Two such sums merge into the sum of both pieces, in any order: that is all that
flash attention rests on (Milakov & Gimelshein 2018; Dao et al. 2022, section 3.1).
"""

from typing import NamedTuple

import torch
from torch import Tensor


def safe_softmax(scores: Tensor) -> Tensor:
    """Return the softmax over the last axis; a row of nothing but -inf gives zeros.

    The row's maximum is subtracted first, so that no exponential overflows.
    """
    exponentials = torch.exp(scores - _finite(scores.amax(-1, keepdim=True)))
    total = exponentials.sum(-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1.0)


def log_sum_exp(scores: Tensor) -> Tensor:
    """Return ``log(sum(exp(scores)))`` over the last axis, -inf where all scores are -inf."""
    maximum = scores.amax(-1)
    return maximum + torch.log(torch.exp(scores - _finite(maximum)[..., None]).sum(-1))


class Partial(NamedTuple):
    """What is known of some queries after they have seen some of their keys.

    Attributes:
        maximum: the largest score so far ``(..., queries)``, -inf where there was none.
        total: the sum of ``exp(score - maximum)`` ``(..., queries)``.
        weighted: the values, weighted by the same exponentials ``(..., queries, d_value)``.
    """

    maximum: Tensor
    total: Tensor
    weighted: Tensor


def partial(scores: Tensor, value: Tensor) -> Partial:
    """Sum up one piece: scores ``(..., queries, keys)``, -inf where masked, and their values."""
    maximum = scores.amax(-1)
    exponentials = torch.exp(scores - _finite(maximum)[..., None])
    return Partial(maximum, exponentials.sum(-1), exponentials @ value)


def merge(one: Partial, other: Partial) -> Partial:
    """Sum up two pieces together. Associative and commutative."""
    maximum = torch.maximum(one.maximum, other.maximum)
    shrink_one = torch.exp(one.maximum - _finite(maximum))
    shrink_other = torch.exp(other.maximum - _finite(maximum))
    return Partial(
        maximum,
        shrink_one * one.total + shrink_other * other.total,
        shrink_one[..., None] * one.weighted + shrink_other[..., None] * other.weighted,
    )


def finish(seen: Partial) -> tuple[Tensor, Tensor]:
    """Divide once, at the end: the output ``(..., queries, d_value)`` and the log-sum-exp.

    A query that saw no key has output 0 and log-sum-exp -inf.
    """
    total = seen.total.masked_fill(seen.total == 0, 1.0)
    return seen.weighted / total[..., None], seen.maximum + torch.log(total)


def _finite(maximum: Tensor) -> Tensor:
    """What to subtract: -inf minus -inf would be NaN."""
    return maximum.masked_fill(maximum == -torch.inf, 0.0)
