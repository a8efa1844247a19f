import numpy as np


def with_numpy(hypotheses, references):
    """Windows of an array, and np.unique."""
    found, made = np.zeros(4), np.zeros(4)
    for ours, theirs in zip(hypotheses, references, strict=True):
        for n in range(1, 5):
            if len(ours) < n:
                continue
            said = np.lib.stride_tricks.sliding_window_view(np.array(ours), n)
            grams, times = np.unique(said, axis=0, return_counts=True)
            made[n - 1] += times.sum()
            if len(theirs) >= n:
                there = np.lib.stride_tricks.sliding_window_view(np.array(theirs), n)
                each = (grams[:, None] == there[None]).all(-1).sum(1)
                found[n - 1] += np.minimum(times, each).sum()
    precisions = found / np.maximum(made, 1)
    ratio = sum(map(len, references)) / sum(map(len, hypotheses))
    brevity = float(np.exp(min(0.0, 1 - ratio)))
    return float(100 * brevity * precisions.prod() ** 0.25), precisions, brevity


STYLES = {"translation.bleu": (with_numpy,)}
