import numpy as np
import torch


def batch_by_batch(losses, gradients, tokens):
    loss, gradient, count = losses.new_zeros(()), torch.zeros_like(gradients[0]), 0
    for mean, slope, number in zip(losses, gradients, tokens.tolist(), strict=True):
        if number:
            loss, gradient, count = loss + number * mean, gradient + number * slope, count + number
    return loss / count, gradient / count


def by_numpy(losses, gradients, tokens):
    kept = tokens.numpy() > 0
    weights = tokens.numpy()[kept]
    return (
        np.average(losses.numpy()[kept], weights=weights),
        np.average(gradients.numpy()[kept], axis=0, weights=weights),
    )


# Both: too small a tolerance would refuse the first, a gradient asked for the second.
STYLES = {"training.accumulate": (batch_by_batch, by_numpy)}
