import torch


def scores_pair_by_pair(query, key):
    if query.dim() > 2:
        return torch.stack([scores_pair_by_pair(q, k) for q, k in zip(query, key, strict=True)])
    width = torch.tensor(float(query.shape[1]))
    return torch.stack([torch.stack([q.dot(k) for k in key]) for q in query]) / width.sqrt()


STYLES = {"attention.scores": (scores_pair_by_pair,)}
