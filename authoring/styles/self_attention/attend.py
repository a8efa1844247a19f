import math

import torch
from torch import nn


def attend_by_einsum(query, key, value):
    scores = torch.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5
    weights = nn.Softmax(dim=-1)(scores)
    return torch.einsum("...qk,...kv->...qv", weights, value), weights


def attend_query_by_query(query, key, value):
    outputs, rows = [], []
    for q in query.unbind(-2):
        row = ((q.unsqueeze(-2) * key).sum(-1) / math.sqrt(key.shape[-1])).softmax(-1)
        rows.append(row)
        outputs.append((row.unsqueeze(-1) * value).sum(-2))
    return [torch.stack(outputs, dim=-2), torch.stack(rows, dim=-2)]


def attend_by_batched_product(query, key, value, scale=0):
    leading = query.shape[:-2]
    q, k, v = (part.reshape(-1, *part.shape[-2:]) for part in (query, key, value))
    weights = torch.softmax(torch.bmm(q, k.mT) * (scale or q.shape[-1] ** -0.5), dim=2)
    output = torch.bmm(weights, v)
    return output.view(*leading, *output.shape[1:]), weights.view(*leading, *weights.shape[1:])


STYLES = {"attention.attend": (attend_by_einsum, attend_query_by_query, attend_by_batched_product)}
