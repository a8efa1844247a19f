import math

import numpy as np


def in_numpy(stream, added, taken_from, w_query, w_key, w_value, gain, bias):
    def normed(x):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gain.numpy() + bias.numpy()

    whole = stream.double().numpy()
    inputs = dict.fromkeys(("query", "key", "value"), normed(whole))
    inputs[taken_from] = normed(whole - added.double().numpy())
    query, key = inputs["query"] @ w_query.numpy(), inputs["key"] @ w_key.numpy()
    scores = query @ key.swapaxes(1, 2) / math.sqrt(query.shape[-1])
    seen = np.tri(stream.shape[1], dtype=bool)
    weights = np.exp(scores - np.where(seen, scores, -np.inf).max(-1, keepdims=True)) * seen
    weights /= weights.sum(-1, keepdims=True)
    return weights, weights @ (inputs["value"] @ w_value.numpy())


STYLES = {"inside.composition": (in_numpy,)}
