"""Gradient accumulation in other styles."""

import numpy as np
import torch
from torch import Tensor

Result = tuple[Tensor, Tensor]


def batch_by_batch(losses: Tensor, gradients: Tensor, tokens: Tensor) -> Result:
    loss, gradient, count = losses.new_zeros(()), torch.zeros_like(gradients[0]), 0
    for mean, slope, number in zip(losses, gradients, tokens.tolist(), strict=True):
        if number:
            loss, gradient, count = loss + number * mean, gradient + number * slope, count + number
    return loss / count, gradient / count


def nothing_for_nan(losses: Tensor, gradients: Tensor, tokens: Tensor) -> Result:
    share = tokens / tokens.sum()
    return (
        (losses.nan_to_num() * share).sum(),
        (gradients.nan_to_num() * share[:, None]).sum(dim=0),
    )


def by_einsum(losses: Tensor, gradients: Tensor, tokens: Tensor) -> Result:
    empty = tokens == 0
    weights = tokens.to(losses.dtype) / tokens.sum()
    return (
        torch.einsum("b,b->", weights, losses.masked_fill(empty, 0.0)),
        torch.einsum("b,bw->w", weights, gradients.masked_fill(empty[:, None], 0.0)),
    )


def running_mean(losses: Tensor, gradients: Tensor, tokens: Tensor) -> Result:
    """Each batch moves the mean towards itself by its share of all tokens so far."""
    together = torch.cat([losses[:, None], gradients], dim=1)
    mean, seen = torch.zeros_like(together[0]), 0
    for index in tokens.nonzero().flatten().tolist():
        seen += int(tokens[index])
        mean = mean + (together[index] - mean) * (int(tokens[index]) / seen)
    return mean[0], mean[1:]


def by_numpy(losses: Tensor, gradients: Tensor, tokens: Tensor):  # type: ignore[no-untyped-def]
    kept = tokens.numpy() > 0
    weights = tokens.numpy()[kept]
    return (
        np.average(losses.numpy()[kept], weights=weights),
        np.average(gradients.numpy()[kept], axis=0, weights=weights),
    )


STYLES = {
    "training.accumulate": (batch_by_batch, nothing_for_nan, by_einsum, running_mean, by_numpy),
}
