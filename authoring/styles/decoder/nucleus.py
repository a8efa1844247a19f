import numpy as np
import torch


def word_by_word(logits, top_p):
    """Row by row: the most probable words in turn, until their sum is enough."""
    if logits.dim() > 1:
        return torch.stack([word_by_word(row, top_p) for row in logits])
    probabilities = dict(enumerate(logits.softmax(0).tolist()))
    kept = {}
    while sum(kept.values()) < top_p and len(kept) < len(logits):
        best = max(set(probabilities) - set(kept), key=probabilities.__getitem__)
        kept[best] = probabilities[best]
    total = sum(kept.values())
    return torch.tensor([kept.get(word, 0.0) / total for word in range(len(logits))])


def with_numpy(logits, top_p, least=1):
    """From the other end: the least probable words go while the rest still reaches top_p."""
    rows = logits.numpy().astype(np.float64).reshape(-1, logits.shape[-1])
    rows = np.exp(rows - rows.max(axis=1, keepdims=True))
    rows /= rows.sum(axis=1, keepdims=True)
    for row in rows:
        order = row.argsort()
        rest = 1 - row[order].cumsum()
        row[order[:-least][rest[:-least] >= top_p]] = 0
    return (rows / rows.sum(axis=1, keepdims=True)).reshape(logits.shape)


class ByPairs:
    """A callable without a sort: for each word, the sum of all that are more probable."""

    def __call__(self, logits, top_p):
        weights = (logits - logits.amax(dim=-1, keepdim=True)).exp()
        more = (logits.unsqueeze(-2) > logits.unsqueeze(-1)).to(weights.dtype)
        before = torch.einsum("...ij,...j->...i", more, weights)
        kept = weights * (before < top_p * weights.sum(dim=-1, keepdim=True))
        return kept / torch.einsum("...i->...", kept)[..., None]


STYLES = {"decoder.nucleus": (word_by_word, with_numpy, ByPairs())}
