import numpy as np
import torch


def query_by_query(weights, tokens):
    spent, chances = [], []
    for text, maps in zip(tokens.tolist(), weights.double(), strict=True):
        for query, id in enumerate(text):
            keys = [k for k in range(1, query + 1) if text[k - 1] == id]
            if keys:
                spent.append(maps[:, query, keys].sum(-1))
                chances.append(len(keys) / (query + 1))
    return torch.stack(spent).mean(0), sum(chances) / len(chances)


def in_numpy(weights, tokens):
    ids, maps = tokens.numpy(), weights.numpy().astype(float)
    before = np.full_like(ids, -1)
    before[:, 1:] = ids[:, :-1]
    counts = (ids[:, :, None] == before[:, None, :]) & np.tri(ids.shape[1], dtype=bool)
    text, query = np.nonzero(counts.any(-1))
    chosen = counts[text, query]
    score = np.einsum("nhk,nk->h", maps[text, :, query], chosen) / len(text)
    return score, np.mean(chosen.sum(-1) / (query + 1))


def with_an_even_head(weights, tokens):
    """A head that looks at all places alike is scored beside the others."""
    length = tokens.shape[1]
    even = torch.ones(length, length).tril()
    even = (even / even.sum(-1, keepdim=True)).expand(len(tokens), 1, -1, -1)
    maps = torch.cat([weights, even.to(weights)], dim=1).transpose(1, 2)
    one_hot = torch.nn.functional.one_hot(tokens.unique(return_inverse=True)[1]).to(weights)
    shifted = one_hot.roll(1, 1)
    shifted[:, 0] = 0
    counts = (one_hot @ shifted.mT).tril()
    repeated = counts.sum(-1) > 0
    scores = (maps @ counts.unsqueeze(-1)).squeeze(-1)[repeated].mean(0)
    return scores[:-1], scores[-1]


STYLES = {"inside.induction_score": (query_by_query, in_numpy, with_an_even_head)}
