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


STYLES = {"decoder.nucleus": (word_by_word,)}
