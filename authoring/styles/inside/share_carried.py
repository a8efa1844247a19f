import numpy as np
import torch


def sentence_by_sentence(before, other, patched):
    shares = []
    for leads in patched.tolist():
        gone = whole = 0.0
        for start, end, now in zip(before.tolist(), other.tolist(), leads, strict=True):
            if end > start:
                gone, whole = gone + now - start, whole + end - start
            elif end < start:
                gone, whole = gone + start - now, whole + start - end
        shares.append(gone / whole)
    return shares


def weighted_ratios(before, other, patched):
    """A mean of ratios after all, weighted by how long each way is."""
    way = (other - before).double()
    has = way != 0
    ratios = (patched - before)[:, has] / way[has]
    return ratios @ (way[has].abs() / way.abs().sum())


def turned_upward(before, other, patched):
    """In NumPy: every way is made to lead up."""
    low, high, now = (part.numpy().copy() for part in (before, other, patched))
    falls = low > high
    for part in (low, high):
        part[falls] *= -1
    now[:, falls] *= -1
    now[:, low == high] = low[low == high]
    return torch.from_numpy((now - low).sum(-1) / np.sum(high - low))


STYLES = {"inside.share_carried": (sentence_by_sentence, weighted_ratios, turned_upward)}
