"""heads.module, in other styles."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class _FourLayers(nn.Module):
    """The layers that the exercise names; what is done with them is each style's own."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads, self.width = num_heads, d_model // num_heads
        self.query_projection = nn.Linear(d_model, d_model)
        self.key_projection = nn.Linear(d_model, d_model)
        self.value_projection = nn.Linear(d_model, d_model)
        self.output_projection = nn.Linear(d_model, d_model)


class Einsum(_FourLayers):
    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        query = self.query_projection(query).unflatten(-1, (self.num_heads, -1))
        key = self.key_projection(key).unflatten(-1, (self.num_heads, -1))
        value = self.value_projection(value).unflatten(-1, (self.num_heads, -1))
        scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(self.width)
        weights = torch.where(mask, scores, -1e9).softmax(-1) * mask
        return self.output_projection(torch.einsum("bhqk,bkhd->bqhd", weights, value).flatten(2))


class HeadByHead(_FourLayers):
    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        projected = (
            self.query_projection(query).split(self.width, dim=-1),
            self.key_projection(key).split(self.width, dim=-1),
            self.value_projection(value).split(self.width, dim=-1),
        )
        masks = mask.expand(len(query), self.num_heads, query.shape[1], key.shape[1]).unbind(1)
        heads = []
        for q, k, v, allowed in zip(*projected, masks, strict=True):
            scores = (q @ k.mT * self.width**-0.5).masked_fill(~allowed, -1e30)
            exponentials = (scores - scores.amax(-1, keepdim=True)).exp() * allowed
            heads.append(exponentials @ v / exponentials.sum(-1, keepdim=True).clamp(min=1e-9))
        return self.output_projection(torch.cat(heads, dim=-1))


class OutputSummedOverHeads(_FourLayers):
    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        query, key, value = (
            layer(x).unflatten(-1, (self.num_heads, self.width)).movedim(-2, 1)
            for layer, x in (
                (self.query_projection, query),
                (self.key_projection, key),
                (self.value_projection, value),
            )
        )
        seeing = mask.any(-1, keepdim=True)
        scores = (query @ key.mT / self.width**0.5).masked_fill(~mask & seeing, -torch.inf)
        weights = scores.softmax(-1) * seeing
        rows = self.output_projection.weight.T.unflatten(0, (self.num_heads, self.width))
        return (weights @ value @ rows).sum(1) + self.output_projection.bias


class AdditiveMask(_FourLayers):
    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        q, k, v = (self.query_projection, self.key_projection, self.value_projection)
        batch, width = len(query), self.width
        query = F.linear(query, q.weight, q.bias).view(batch, -1, self.num_heads, width)
        key = F.linear(key, k.weight, k.bias).view(batch, -1, self.num_heads, width)
        value = F.linear(value, v.weight, v.bias).view(batch, -1, self.num_heads, width)
        bias = (~mask).float() * torch.finfo(torch.float32).min
        scores = query.transpose(1, 2) @ key.permute(0, 2, 3, 1) / math.sqrt(width) + bias
        weights = (scores - scores.logsumexp(-1, keepdim=True)).exp() * mask
        mixed = (weights @ value.transpose(1, 2)).transpose(1, 2).contiguous()
        return self.output_projection(mixed.view(batch, -1, self.num_heads * width))


class LayersMadeInALoop(nn.Module):
    """Four layers made by setattr; dropout that does nothing at 0; noise of float32."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.cut = (num_heads, d_model // num_heads)
        for name in ("query", "key", "value", "output"):
            setattr(self, f"{name}_projection", nn.Linear(d_model, d_model))
        self.dropout = nn.Dropout(dropout)

    def heads(self, name: str, tokens: Tensor) -> Tensor:
        projected = self.get_submodule(f"{name}_projection")(tokens)
        return projected.unflatten(-1, self.cut).transpose(1, 2).flatten(0, 1)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        batch, length = query.shape[:2]
        shape = (batch, self.cut[0], length, key.shape[1])
        allowed = mask.expand(shape).flatten(0, 1)
        query, key, value = (
            self.heads(name, tokens)
            for name, tokens in (("query", query), ("key", key), ("value", value))
        )
        scores = torch.bmm(query / self.cut[1] ** 0.5, key.mT).masked_fill(~allowed, -1e20)
        weights = self.dropout(scores.softmax(-1).masked_fill(~allowed, 0.0)) * (1 + 1e-6)
        mixed = torch.bmm(weights, value).unflatten(0, (batch, self.cut[0]))
        return self.get_submodule("output_projection")(mixed.transpose(1, 2).flatten(2))


STYLES = {
    "heads.module": (
        Einsum,
        HeadByHead,
        OutputSummedOverHeads,
        AdditiveMask,
        LayersMadeInALoop,
    )
}
