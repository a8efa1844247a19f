"""attention.repaired_heads, in other styles."""

import math

import torch
from torch import Tensor


def head_by_head(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    width = tokens.shape[-1] // num_heads
    parts = []
    for columns in range(0, tokens.shape[-1], width):
        query, key, value = (w[:, columns : columns + width] for w in w_qkv.chunk(3, dim=1))
        scores = (tokens @ query) @ (tokens @ key).mT / width**0.5
        parts.append(scores.softmax(-1) @ (tokens @ value))
    return torch.cat(parts, dim=-1) @ w_out


def heads_by_einsum(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    query, key, value = (tokens @ w_qkv).unflatten(-1, (3, num_heads, -1)).unbind(2)
    scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(query.shape[-1])
    mixed = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), value)
    return torch.einsum("bqhd,hdm->bqm", mixed, w_out.unflatten(0, (num_heads, -1)))


def heads_in_the_batch(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    batch, length, d_model = tokens.shape
    width = d_model // num_heads
    query, key, value = (
        part.view(batch, length, num_heads, width).transpose(1, 2).reshape(-1, length, width)
        for part in (tokens @ w_qkv).split(d_model, dim=-1)
    )
    weights = torch.bmm(query * width**-0.5, key.mT).softmax(dim=-1)
    mixed = torch.bmm(weights, value).view(batch, num_heads, length, width)
    return mixed.permute(0, 2, 1, 3).flatten(2) @ w_out


def sum_over_heads(
    tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int, output: float = 0.0
) -> Tensor:
    parts = [part.chunk(num_heads, dim=-1) for part in (tokens @ w_qkv).chunk(3, dim=-1)]
    total = torch.full_like(tokens, output)
    for query, key, value, rows in zip(*parts, w_out.chunk(num_heads), strict=True):
        weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
        total = total + weights @ value @ rows
    return total


class SentenceBySentence:
    def __call__(self, tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
        return torch.stack([self.sentence(x @ w_qkv, num_heads) for x in tokens]) @ w_out

    def sentence(self, qkv: Tensor, num_heads: int) -> Tensor:
        query, key, value = qkv.double().unflatten(1, (3, num_heads, -1)).permute(1, 2, 0, 3)
        weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
        return (weights @ value).movedim(0, 1).flatten(1).float()


STYLES = {
    "attention.repaired_heads": (
        head_by_head,
        heads_by_einsum,
        heads_in_the_batch,
        sum_over_heads,
        SentenceBySentence(),
    )
}
