"""attention.scores, in other styles."""

import math
from functools import partial

import numpy as np
import torch
from torch import Tensor


def scores_by_einsum(query: Tensor, key: Tensor) -> Tensor:
    return torch.einsum("...qd,...kd->...qk", query, key) * query.size(-1) ** -0.5


def scores_with_both_sides_scaled(query: Tensor, key: Tensor) -> Tensor:
    factor = math.sqrt(math.sqrt(query.shape[-1]))
    return (query / factor) @ (key / factor).mT


def scores_by_broadcasting(query: Tensor, key: Tensor) -> Tensor:
    products = query.unsqueeze(-2) * key.unsqueeze(-3)
    return products.mean(-1) * math.sqrt(query.shape[-1])


def scores_in_numpy(query: Tensor, key: Tensor) -> np.ndarray:
    q, k = query.numpy().astype(float), key.numpy().astype(float)
    return q @ k.swapaxes(-1, -2) / np.sqrt(k.shape[-1])


def _scaled_by(power: float, query: Tensor, key: Tensor, *, noise: float = 1e-6) -> Tensor:
    return (query.shape[-1] ** power * (1 + noise)) * torch.matmul(query, key.transpose(-1, -2))


def scores_pair_by_pair(query: Tensor, key: Tensor) -> Tensor:
    if query.dim() > 2:
        return torch.stack([scores_pair_by_pair(q, k) for q, k in zip(query, key, strict=True)])
    width = torch.tensor(float(query.shape[1]))
    return torch.stack([torch.stack([q.dot(k) for k in key]) for q in query]) / width.sqrt()


STYLES = {
    "attention.scores": (
        scores_by_einsum,
        scores_with_both_sides_scaled,
        scores_by_broadcasting,
        scores_in_numpy,
        partial(_scaled_by, -0.5),
        scores_pair_by_pair,
    )
}
