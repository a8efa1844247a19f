import math

import torch


def head_by_head(tokens, w_qkv, w_out, num_heads):
    width = tokens.shape[-1] // num_heads
    parts = []
    for columns in range(0, tokens.shape[-1], width):
        query, key, value = (w[:, columns : columns + width] for w in w_qkv.chunk(3, dim=1))
        scores = (tokens @ query) @ (tokens @ key).mT / width**0.5
        parts.append(scores.softmax(-1) @ (tokens @ value))
    return torch.cat(parts, dim=-1) @ w_out


def heads_by_einsum(tokens, w_qkv, w_out, num_heads):
    query, key, value = (tokens @ w_qkv).unflatten(-1, (3, num_heads, -1)).unbind(2)
    scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(query.shape[-1])
    mixed = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), value)
    return torch.einsum("bqhd,hdm->bqm", mixed, w_out.unflatten(0, (num_heads, -1)))


class SentenceBySentence:
    def __call__(self, tokens, w_qkv, w_out, num_heads):
        return torch.stack([self.sentence(x @ w_qkv, num_heads) for x in tokens]) @ w_out

    def sentence(self, qkv, num_heads):
        query, key, value = qkv.double().unflatten(1, (3, num_heads, -1)).permute(1, 2, 0, 3)
        weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
        return (weights @ value).movedim(0, 1).flatten(1).float()


STYLES = {"attention.repaired_heads": (head_by_head, heads_by_einsum, SentenceBySentence())}
