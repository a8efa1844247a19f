import math

import numpy as np


def in_numpy(x, other, layers, depth, place, other_place):
    def run(rows, matrices):
        for query, key, value in matrices:
            spread = np.sqrt(rows.var(1, keepdims=True) + 1e-5)
            normed = (rows - rows.mean(1, keepdims=True)) / spread
            scores = normed @ query @ (normed @ key).T / math.sqrt(rows.shape[1])
            weights = np.exp(scores - scores.max(1, keepdims=True))
            rows = rows + weights / weights.sum(1, keepdims=True) @ normed @ value
        return rows

    matrices = layers.double().numpy()
    below, above = matrices[:depth], matrices[depth:]
    rows = run(x.double().numpy(), below).copy()
    rows[place] = run(other.double().numpy(), below)[other_place]
    return run(rows, above)


STYLES = {"inside.patch_row": (in_numpy,)}
