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


def by_numpy(losses: Tensor, gradients: Tensor, tokens: Tensor):  # type: ignore[no-untyped-def]
    kept = tokens.numpy() > 0
    weights = tokens.numpy()[kept]
    return (
        np.average(losses.numpy()[kept], weights=weights),
        np.average(gradients.numpy()[kept], axis=0, weights=weights),
    )


STYLES = {"training.accumulate": (batch_by_batch, nothing_for_nan, by_numpy)}
