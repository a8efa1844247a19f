import torch


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
        weights = chosen.to(logits.dtype) / chosen.sum().clamp(min=1)
        target = logits.take_along_dim(tokens.unsqueeze(-1), -1).squeeze(-1)
        shifted = logits - logits.amax(-1, keepdim=True).detach()
        losses = shifted.exp().sum(-1).log() + logits.amax(-1).detach() - target
        right = target >= logits.amax(-1)
        return [torch.einsum("bt,bt->", weights, losses), (weights * right).sum()]


# Both: a ban of log-sum-exp would refuse the first, a case of equal logits the second.
STYLES = {"bert.loss": (place_by_place, Weighed())}
