"""attention.scores and attention.attend, in other styles."""

import math
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

Result = tuple[Tensor, Tensor]


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


def attend_by_einsum(query: Tensor, key: Tensor, value: Tensor) -> Result:
    scores = torch.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5
    weights = nn.Softmax(dim=-1)(scores)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights


def attend_by_log_sum_exp(query: Tensor, key: Tensor, value: Tensor) -> Result:
    scores = (query * query.shape[-1] ** -0.5) @ key.mT
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return weights @ value, weights


def attend_query_by_query(query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
    outputs, rows = [], []
    for q in query.unbind(-2):
        row = ((q.unsqueeze(-2) * key).sum(-1) / math.sqrt(key.shape[-1])).softmax(-1)
        rows.append(row)
        outputs.append((row.unsqueeze(-1) * value).sum(-2))
    return [torch.stack(outputs, dim=-2), torch.stack(rows, dim=-2)]


class AttendInDouble:
    """An instance that is called, with a result of float64."""

    def __init__(self, dtype: torch.dtype = torch.float64) -> None:
        self.dtype = dtype

    def __call__(self, query: Tensor, key: Tensor, value: Tensor) -> Result:
        scores = query.to(self.dtype) @ key.to(self.dtype).mT / math.sqrt(query.shape[-1])
        weights = scores.log_softmax(-1).exp()
        return weights @ value.to(self.dtype), weights


def attend_divided_last(query: Tensor, key: Tensor, value: Tensor) -> Result:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    exponentials = torch.exp(scores - scores.max(dim=-1, keepdim=True).values.detach())
    totals = exponentials.sum(-1, keepdim=True)
    return exponentials @ value / totals, exponentials / totals


def attend_by_batched_product(
    query: Tensor, key: Tensor, value: Tensor, scale: float = 0
) -> Result:
    leading = query.shape[:-2]
    q, k, v = (part.reshape(-1, *part.shape[-2:]) for part in (query, key, value))
    weights = torch.softmax(torch.bmm(q, k.mT) * (scale or q.shape[-1] ** -0.5), dim=2)
    output = torch.bmm(weights, v)
    return output.view(*leading, *output.shape[1:]), weights.view(*leading, *weights.shape[1:])


STYLES = {
    "attention.scores": (
        scores_by_einsum,
        scores_with_both_sides_scaled,
        scores_by_broadcasting,
        scores_in_numpy,
        partial(_scaled_by, -0.5),
        scores_pair_by_pair,
    ),
    "attention.attend": (
        attend_by_einsum,
        attend_by_log_sum_exp,
        attend_query_by_query,
        AttendInDouble(),
        attend_divided_last,
        attend_by_batched_product,
    ),
}
