import numpy as np


def in_numpy(weights, tokens):
    ids, maps = tokens.numpy(), weights.numpy().astype(float)
    before = np.full_like(ids, -1)
    before[:, 1:] = ids[:, :-1]
    counts = (ids[:, :, None] == before[:, None, :]) & np.tri(ids.shape[1], dtype=bool)
    text, query = np.nonzero(counts.any(-1))
    chosen = counts[text, query]
    score = np.einsum("nhk,nk->h", maps[text, :, query], chosen) / len(text)
    return score, np.mean(chosen.sum(-1) / (query + 1))


STYLES = {"inside.induction_score": (in_numpy,)}
