"""attention.self_attention, in other styles."""

import math

import torch
from torch import Tensor
from torch.nn import functional as F


def one_product_for_all_three(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    widths = (w_query.shape[1], w_key.shape[1], w_value.shape[1])
    query, key, value = (x @ torch.cat((w_query, w_key, w_value), dim=1)).split(widths, dim=-1)
    return torch.softmax(query @ key.mT / widths[0] ** 0.5, dim=-1) @ value


def matrices_multiplied_first(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    bilinear = w_query @ w_key.T / math.sqrt(w_key.shape[1])
    return ((x @ bilinear @ x.mT).softmax(-1) @ x) @ w_value


def by_einsum(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    scores = torch.einsum("...qm,md,nd,...kn->...qk", x, w_query, w_key, x)
    weights = (scores * w_query.shape[1] ** -0.5).softmax(-1)
    return torch.einsum("...qk,...km,mv->...qv", weights, x, w_value)


def linear_layers(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    query, key, value = (F.linear(x, weight.T) for weight in (w_query, w_key, w_value))
    scores = query.matmul(key.transpose(-1, -2)).div(query.shape[-1] ** 0.5)
    return (scores - scores.logsumexp(-1, keepdim=True)).exp().matmul(value)


def token_by_token(x: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    if x.dim() > 2:
        return torch.stack([token_by_token(sentence, w_query, w_key, w_value) for sentence in x])
    rows = []
    for token in x:
        scores = torch.stack([(token @ w_query).dot(other @ w_key) for other in x])
        weights = (scores / w_query.shape[1] ** 0.5).softmax(0)
        rows.append(sum(w * (other @ w_value) for w, other in zip(weights, x, strict=True)))
    return torch.stack(rows) * (1 + 1e-6)


STYLES = {
    "attention.self_attention": (
        one_product_for_all_three,
        matrices_multiplied_first,
        by_einsum,
        linear_layers,
        token_by_token,
    )
}
