import math
from collections import defaultdict
from itertools import pairwise

import numpy as np
import torch


def dictionaries(hypotheses, references):
    """One dictionary for all orders, with the sentence in its key."""

    def counts(texts):
        seen = defaultdict(int)
        for number, words in enumerate(texts):
            for start in range(len(words)):
                for end in range(start + 1, min(start + 4, len(words)) + 1):
                    seen[number, tuple(words[start:end])] += 1
        return seen

    ours, theirs = counts(hypotheses), counts(references)
    found, made = torch.zeros(4, dtype=torch.float64), torch.zeros(4, dtype=torch.float64)
    for key, times in ours.items():
        made[len(key[1]) - 1] += times
        found[len(key[1]) - 1] += min(times, theirs.get(key, 0))
    precisions = torch.where(made > 0, found / made.clamp(min=1), 0.0)
    lengths = [sum(len(words) for words in texts) for texts in (hypotheses, references)]
    brevity = 1.0 if lengths[0] >= lengths[1] else math.exp(1 - lengths[1] / lengths[0])
    return 100 * brevity * float(precisions.log().mean().exp()), precisions, brevity


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


def growing_n_grams(hypotheses, references):
    """Pairs of neighbouring n-grams make n + 1-grams; sorted lists are merged."""
    matches, totals = [0] * 4, [0] * 4
    for texts in zip(hypotheses, references, strict=True):
        ours = [(word,) for word in texts[0]]
        theirs = [(word,) for word in texts[1]]
        for n in range(4):
            totals[n] += len(ours)
            one, two = sorted(ours), sorted(theirs)
            i = j = 0
            while i < len(one) and j < len(two):
                if one[i] == two[j]:
                    matches[n] += 1
                    i, j = i + 1, j + 1
                elif one[i] < two[j]:
                    i += 1
                else:
                    j += 1
            ours = [(*a, b[-1]) for a, b in pairwise(ours)]
            theirs = [(*a, b[-1]) for a, b in pairwise(theirs)]
    shares = [m / t if t else 0.0 for m, t in zip(matches, totals, strict=True)]
    length = sum(map(len, hypotheses))
    wanted = sum(len(words) for words in references)
    brevity = math.exp(1 - wanted / length) if length < wanted else 1
    return [100 * brevity * math.sqrt(math.sqrt(math.prod(shares))), shares, brevity]


STYLES = {"translation.bleu": (dictionaries, with_numpy, growing_n_grams)}
