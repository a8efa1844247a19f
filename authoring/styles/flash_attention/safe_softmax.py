import math

import torch


def row_by_row(scores):
    """Plain numbers, no tensors."""
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]).tolist():
        real = [score for score in row if score > -math.inf]
        largest = max(real, default=0.0)
        total = sum(math.exp(score - largest) for score in real)
        rows.append([math.exp(s - largest) / total if s > -math.inf else 0.0 for s in row])
    return torch.tensor(rows).reshape(scores.shape)


def by_differences(scores, hidden=float("-inf")):
    """One over the sum of e^(other - own): no maximum is needed."""
    differences = scores[..., None, :] - scores[..., :, None]
    others = torch.where((scores == hidden)[..., None, :], 0.0, differences.exp()).sum(-1)
    return torch.where(scores == hidden, torch.zeros(()), others.reciprocal())


class HiddenLast:
    """A callable: where a row is empty is asked first, and answered last."""

    def __call__(self, scores):
        empty = scores.isneginf().all(dim=-1, keepdim=True)
        scores = scores.masked_fill(empty, 0.0)
        exponentials = 2 ** ((scores - scores.max(dim=-1, keepdim=True).values) / math.log(2))
        weights = exponentials / torch.einsum("...k->...", exponentials)[..., None]
        return (weights).masked_fill(empty, 0.0)


STYLES = {"flash.safe_softmax": (row_by_row, by_differences, HiddenLast())}
