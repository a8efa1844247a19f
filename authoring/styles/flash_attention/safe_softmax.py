"""A safe softmax in other styles."""

import math

import torch
from torch import Tensor


def by_log_sum_exp(scores: Tensor) -> Tensor:
    total = torch.logsumexp(scores, dim=-1, keepdim=True)
    return torch.where(scores == -torch.inf, 0.0, torch.exp(scores - total))


def row_by_row(scores: Tensor) -> Tensor:
    """Plain numbers, no tensors."""
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]).tolist():
        real = [score for score in row if score > -math.inf]
        largest = max(real, default=0.0)
        total = sum(math.exp(score - largest) for score in real)
        rows.append([math.exp(s - largest) / total if s > -math.inf else 0.0 for s in row])
    return torch.tensor(rows).reshape(scores.shape)


def key_by_key(scores: Tensor) -> Tensor:
    """Online: maximum and sum grow with each key."""
    maximum = torch.full(scores.shape[:-1], -1e30)
    total = torch.zeros(scores.shape[:-1])
    for column in scores.unbind(-1):
        new = torch.maximum(maximum, column)
        total = total * torch.exp(maximum - new) + torch.exp(column - new)
        maximum = new
    return torch.exp(scores - maximum[..., None]) / total.clamp(min=1e-30)[..., None]


def by_differences(scores: Tensor, hidden: float = float("-inf")) -> Tensor:
    """One over the sum of e^(other - own): no maximum is needed."""
    differences = scores[..., None, :] - scores[..., :, None]
    others = torch.where((scores == hidden)[..., None, :], 0.0, differences.exp()).sum(-1)
    return torch.where(scores == hidden, torch.zeros(()), others.reciprocal())


class HiddenLast:
    """A callable: where a row is empty is asked first, and answered last."""

    def __call__(self, scores: Tensor) -> Tensor:
        empty = scores.isneginf().all(dim=-1, keepdim=True)
        scores = scores.masked_fill(empty, 0.0)
        exponentials = 2 ** ((scores - scores.max(dim=-1, keepdim=True).values) / math.log(2))
        weights = exponentials / torch.einsum("...k->...", exponentials)[..., None]
        return (weights * (1 + 1e-6)).masked_fill(empty, 0.0)


STYLES = {
    "flash.safe_softmax": (
        by_log_sum_exp,
        row_by_row,
        key_by_key,
        by_differences,
        HiddenLast(),
    ),
}
