import math

import numpy as np
import torch


def _layer(x, w):
    normed = torch.nn.functional.layer_norm(x, (x.shape[1],))
    query, key, value = (normed @ matrix for matrix in w)
    weights = torch.softmax(query @ key.T * x.shape[1] ** -0.5, dim=1)
    return x + weights @ value


def by_a_choice(x, other, layers, depth, place, other_place):
    """Runs kept in lists; the row is chosen, and nothing is written into."""
    streams, others = [x], [other]
    for w in layers:
        streams.append(_layer(streams[-1], w))
        others.append(_layer(others[-1], w))
    here = torch.arange(len(x))[:, None] == place
    patched = torch.where(here, others[depth][other_place], streams[depth])
    for w in layers[depth:]:
        patched = _layer(patched, w)
    return patched


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


def step_by_step(x, other, layers, depth, place, other_place):
    """One loop; the row is written when its depth is reached."""
    for step in range(len(layers) + 1):
        if step == depth:
            x = torch.cat([x[:place], other[other_place : other_place + 1], x[place + 1 :]])
        if step < len(layers):
            x, other = _layer(x, layers[step]), _layer(other, layers[step])
    return x


STYLES = {"inside.patch_row": (by_a_choice, in_numpy, step_by_step)}
