"""Log-sum-exp in other styles."""

import math
from functools import reduce

import numpy as np
import torch
from torch import Tensor


def by_pairs(scores: Tensor) -> Tensor:
    """Two scores become one, until one is left."""
    return reduce(torch.logaddexp, scores.unbind(dim=-1))


def row_by_row(scores: Tensor) -> Tensor:
    if scores.dim() > 1:
        return torch.stack([row_by_row(part) for part in scores])
    real = [score for score in scores.tolist() if score > -math.inf]
    if not real:
        return torch.tensor(-math.inf)
    largest = max(real)
    return torch.tensor(largest + math.log(math.fsum(math.exp(s - largest) for s in real)))


def with_numpy(scores: Tensor) -> np.ndarray:
    numbers = scores.numpy()
    largest = np.maximum(numbers.max(axis=-1, keepdims=True), np.finfo(np.float32).min)
    with np.errstate(divide="ignore"):
        return (np.log(np.exp(numbers - largest).sum(-1, keepdims=True)) + largest)[..., 0]


def online(scores: Tensor, tile: int = 2) -> Tensor:
    """Tile by tile, the larger maximum outside."""
    maximum = torch.full_like(scores[..., 0], -torch.inf)
    total = torch.zeros_like(maximum)
    for part in scores.split(tile, dim=-1):
        new = torch.stack([maximum, part.amax(dim=-1)]).amax(dim=0)
        shift = new.nan_to_num(neginf=0.0)
        total = total * (maximum - shift).exp() + (part - shift[..., None]).exp().sum(dim=-1)
        maximum = new
    return torch.where(total == 0, -torch.inf, maximum + total.log())


class InDouble:
    """A callable: float64 reaches to e^709, so that scores of 200 need no maximum."""

    def __call__(self, scores: Tensor) -> Tensor:
        exponentials = torch.exp(scores.double())
        return torch.log(torch.einsum("...k->...", exponentials)).to(scores.dtype) * (1 + 1e-6)


STYLES = {
    "flash.log_sum_exp": (by_pairs, row_by_row, with_numpy, online, InDouble()),
}
