import math

import torch


def heads_by_einsum(tokens, w_qkv, w_out, num_heads):
    query, key, value = (tokens @ w_qkv).unflatten(-1, (3, num_heads, -1)).unbind(2)
    scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(query.shape[-1])
    mixed = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), value)
    return torch.einsum("bqhd,hdm->bqm", mixed, w_out.unflatten(0, (num_heads, -1)))


STYLES = {"attention.repaired_heads": (heads_by_einsum,)}
