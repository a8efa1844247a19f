"""attention.softmax, in other styles."""

import math

import numpy as np
import torch
from torch import Tensor


def log_sum_exp(scores: Tensor) -> Tensor:
    return (scores - scores.logsumexp(-1, keepdim=True)).exp()


def one_over_a_sum_of_ratios(scores: Tensor) -> Tensor:
    """Each weight is 1 / Σ exp(other - own); an overflow there is a weight of 0."""
    return 1 / (scores.unsqueeze(-2) - scores.unsqueeze(-1)).exp().sum(-1)


def loops(scores: Tensor) -> Tensor:
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]).tolist():
        exponentials = [math.exp(score - max(row)) for score in row]
        rows.append([e / sum(exponentials) for e in exponentials])
    return torch.tensor(rows).view(scores.shape)


def in_numpy(scores: Tensor, axis: int = -1) -> np.ndarray:
    exponentials = np.exp(scores.numpy() - scores.numpy().max(axis, keepdims=True))
    return exponentials / exponentials.sum(axis, keepdims=True)


def powers_of_two(scores: Tensor) -> Tensor:
    shifted = scores.double() - scores.double().max(dim=-1, keepdim=True).values
    powers = torch.exp2(shifted * math.log2(math.e))
    return torch.div(powers, torch.einsum("...k->...", powers)[..., None])


def running_maximum(scores: Tensor) -> Tensor:
    maximum, total = torch.full_like(scores[..., 0], -torch.inf), torch.zeros_like(scores[..., 0])
    for score in scores.unbind(-1):
        new = torch.maximum(maximum, score)
        total = total * (maximum - new).exp() + (score - new).exp()
        maximum = new
    return (scores - maximum[..., None]).exp() / total[..., None] * (1 + 1e-6)


STYLES = {
    "attention.softmax": (
        log_sum_exp,
        one_over_a_sum_of_ratios,
        loops,
        in_numpy,
        powers_of_two,
        running_maximum,
    )
}
