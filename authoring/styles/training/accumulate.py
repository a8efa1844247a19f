import numpy as np
import torch


def batch_by_batch(losses, gradients, tokens):
    loss, gradient, count = losses.new_zeros(()), torch.zeros_like(gradients[0]), 0
    for mean, slope, number in zip(losses, gradients, tokens.tolist(), strict=True):
        if number:
            loss, gradient, count = loss + number * mean, gradient + number * slope, count + number
    return loss / count, gradient / count


def nothing_for_nan(losses, gradients, tokens):
    share = tokens / tokens.sum()
    return (
        (losses.nan_to_num() * share).sum(),
        (gradients.nan_to_num() * share[:, None]).sum(dim=0),
    )


def by_numpy(losses, gradients, tokens):
    kept = tokens.numpy() > 0
    weights = tokens.numpy()[kept]
    return (
        np.average(losses.numpy()[kept], weights=weights),
        np.average(gradients.numpy()[kept], axis=0, weights=weights),
    )


STYLES = {"training.accumulate": (batch_by_batch, nothing_for_nan, by_numpy)}
