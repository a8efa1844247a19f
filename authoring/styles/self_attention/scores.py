import math

import torch


def scores_by_einsum(query, key):
    return torch.einsum("...qd,...kd->...qk", query, key) * query.size(-1) ** -0.5


def scores_by_broadcasting(query, key):
    products = query.unsqueeze(-2) * key.unsqueeze(-3)
    return products.mean(-1) * math.sqrt(query.shape[-1])


def scores_pair_by_pair(query, key):
    if query.dim() > 2:
        return torch.stack([scores_pair_by_pair(q, k) for q, k in zip(query, key, strict=True)])
    width = torch.tensor(float(query.shape[1]))
    return torch.stack([torch.stack([q.dot(k) for k in key]) for q in query]) / width.sqrt()


STYLES = {"attention.scores": (scores_by_einsum, scores_by_broadcasting, scores_pair_by_pair)}
