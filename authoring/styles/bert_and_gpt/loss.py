"""bert.loss, in other styles."""

import torch
from torch import Tensor
from torch.nn import functional as F

Result = tuple[Tensor, Tensor]


def by_cross_entropy(logits: Tensor, tokens: Tensor, chosen: Tensor) -> Result:
    if not chosen.any():
        return 0.0 * logits.sum(), torch.zeros(())
    picked, wanted = logits[chosen], tokens[chosen]
    return F.cross_entropy(picked, wanted), picked.argmax(-1).eq(wanted).float().mean()


def by_ignored_targets(logits: Tensor, tokens: Tensor, chosen: Tensor) -> Result:
    targets = tokens.masked_fill(~chosen, -100)
    total = F.cross_entropy(logits.mT, targets, ignore_index=-100, reduction="sum")
    count = max(int(chosen.sum()), 1)
    return total / count, (logits.argmax(-1) == targets).sum() / count


def place_by_place(logits: Tensor, tokens: Tensor, chosen: Tensor) -> Result:
    losses, hits = [0.0 * logits.sum()], 0
    for row, place in chosen.nonzero().tolist():
        scores, target = logits[row, place], int(tokens[row, place])
        losses.append(scores.logsumexp(0) - scores[target])
        hits += int(scores.argmax()) == target
    count = max(len(losses) - 1, 1)
    return torch.stack(losses).sum() / count, torch.tensor(hits / count)


def by_one_hot(logits: Tensor, tokens: Tensor, chosen: Tensor) -> Result:
    wanted = F.one_hot(tokens, logits.shape[-1]) * chosen[..., None]
    count = wanted.sum().clamp(min=1)
    said = F.one_hot(logits.argmax(-1), logits.shape[-1])
    return -(wanted * logits.log_softmax(-1)).sum() / count, (wanted * said).sum() / count


class Weighed:
    """A callable with weights in place of a selection; noise of float32."""

    def __call__(self, logits: Tensor, tokens: Tensor, chosen: Tensor) -> list[Tensor]:
        weights = chosen.float() / chosen.float().sum().clamp(min=1.0)
        target = logits.take_along_dim(tokens.unsqueeze(-1), -1).squeeze(-1)
        shifted = logits - logits.amax(-1, keepdim=True).detach()
        losses = shifted.exp().sum(-1).log() + logits.amax(-1).detach() - target
        right = target >= logits.amax(-1)
        return [torch.einsum("bt,bt->", weights, losses) * (1 + 1e-6), (weights * right).sum()]


STYLES = {
    "bert.loss": (by_cross_entropy, by_ignored_targets, place_by_place, by_one_hot, Weighed()),
}
