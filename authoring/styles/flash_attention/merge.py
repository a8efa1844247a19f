import math

import torch


def stacked(maximum_a, total_a, weighted_a, maximum_b, total_b, weighted_b):
    """Both workers along an axis of their own; this would merge any number of them."""
    maxima = torch.stack([maximum_a, maximum_b])
    maximum = maxima.amax(dim=0)
    factors = torch.exp(maxima - maximum.masked_fill(maximum == -torch.inf, 0.0))
    total = torch.einsum("w...,w...->...", factors, torch.stack([total_a, total_b]))
    weighted = torch.stack([weighted_a, weighted_b])
    return maximum, total, torch.einsum("w...,w...d->...d", factors, weighted)


def query_by_query(maximum_a, total_a, weighted_a, maximum_b, total_b, weighted_b):
    """Plain numbers, and a worker that has seen nothing is left out."""
    if maximum_a.dim() > 0:
        parts = (maximum_a, total_a, weighted_a, maximum_b, total_b, weighted_b)
        maximum, total, weighted = zip(
            *(query_by_query(*part) for part in zip(*parts, strict=True)), strict=True
        )
        return torch.stack(maximum), torch.stack(total), torch.stack(weighted)
    if maximum_a.item() == -math.inf:
        return maximum_b, total_b, weighted_b
    if maximum_b.item() == -math.inf:
        return maximum_a, total_a, weighted_a
    new = max(maximum_a.item(), maximum_b.item())
    a, b = math.exp(maximum_a.item() - new), math.exp(maximum_b.item() - new)
    return torch.tensor(new), a * total_a + b * total_b, a * weighted_a + b * weighted_b


class OneAfterTheOther:
    """A callable: first the one worker is brought to the maximum, then the other."""

    def __call__(self, maximum_a, total_a, weighted_a, maximum_b, total_b, weighted_b):
        maximum = (maximum_a + (maximum_b - maximum_a).relu()).fmax(maximum_b)
        maximum = torch.where(maximum_a.isneginf(), maximum_b, maximum)
        total, weighted = torch.zeros_like(total_a), torch.zeros_like(weighted_a)
        for own, t, w in ((maximum_b, total_b, weighted_b), (maximum_a, total_a, weighted_a)):
            factor = torch.where(own == maximum, 1.0, torch.exp(own - maximum))
            total = total + factor * t
            weighted = weighted + (factor * w.movedim(-1, 0)).movedim(0, -1)
        return maximum, total, weighted


STYLES = {"flash.merge": (stacked, query_by_query, OneAfterTheOther())}
