"""attention.attend, in other styles."""

import math

import torch
from torch import Tensor, nn

Result = tuple[Tensor, Tensor]


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
    "attention.attend": (
        attend_by_einsum,
        attend_by_log_sum_exp,
        attend_query_by_query,
        AttendInDouble(),
        attend_divided_last,
        attend_by_batched_product,
    )
}
