import torch
from torch.nn import functional as F


def by_cross_entropy(logits, tokens, chosen):
    if not chosen.any():
        return 0.0 * logits.sum(), torch.zeros(())
    picked, wanted = logits[chosen], tokens[chosen]
    return F.cross_entropy(picked, wanted), picked.argmax(-1).eq(wanted).float().mean()


def place_by_place(logits, tokens, chosen):
    losses, hits = [0.0 * logits.sum()], 0
    for row, place in chosen.nonzero().tolist():
        scores, target = logits[row, place], int(tokens[row, place])
        losses.append(scores.logsumexp(0) - scores[target])
        hits += int(scores.argmax()) == target
    count = max(len(losses) - 1, 1)
    return torch.stack(losses).sum() / count, torch.tensor(hits / count)


class Weighed:
    """A callable with weights in place of a selection."""

    def __call__(self, logits, tokens, chosen):
        weights = chosen.float() / chosen.float().sum().clamp(min=1.0)
        target = logits.take_along_dim(tokens.unsqueeze(-1), -1).squeeze(-1)
        shifted = logits - logits.amax(-1, keepdim=True).detach()
        losses = shifted.exp().sum(-1).log() + logits.amax(-1).detach() - target
        right = target >= logits.amax(-1)
        return [torch.einsum("bt,bt->", weights, losses), (weights * right).sum()]


STYLES = {"bert.loss": (by_cross_entropy, place_by_place, Weighed())}
