import math

import torch
from torch.nn import functional as F


def wanted_probabilities(logits, targets, padding_id, smoothing):
    """The whole wanted distribution, against log-probabilities."""
    vocabulary = logits.shape[-1]
    wanted = torch.full_like(logits, smoothing / (vocabulary - 1))
    wanted[..., padding_id] = 0
    wanted.scatter_add_(-1, targets[..., None], torch.full_like(logits[..., :1], 1 - smoothing))
    log_p = F.log_softmax(logits, dim=-1)
    real = (targets != padding_id).to(logits.dtype)
    plain = F.nll_loss(log_p.transpose(1, 2), targets, ignore_index=padding_id, reduction="sum")
    return -torch.einsum("btv,btv,bt->", wanted, log_p, real), real.sum().long(), plain


def loops(logits, targets, padding_id, smoothing):
    """Token by token."""
    smoothed = plain = logits.sum() * 0
    count = 0
    for scores, goals in zip(logits, targets, strict=True):
        for row, goal in zip(scores, goals.tolist(), strict=True):
            if goal == padding_id:
                continue
            cost = torch.logsumexp(row, 0) - row
            words = [cost[word] for word in range(len(row)) if word != padding_id]
            smoothed = smoothed + (1 - smoothing) * cost[goal]
            smoothed = smoothed + smoothing * sum(words) / len(words)
            plain = plain + cost[goal]
            count += 1
    return smoothed, count, plain


class InFloat64:
    """A callable: by hand in float64, with the maximum taken off."""

    def __call__(self, logits, targets, padding_id, smoothing=0.1):
        shifted = logits.double() - logits.double().amax(-1, keepdim=True)
        log_p = shifted - shifted.exp().sum(-1, keepdim=True).log()
        mask = targets != padding_id
        own = log_p.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
        words = [word for word in range(logits.shape[-1]) if word != padding_id]
        mean = log_p[..., words].mean(-1)
        both = (1 - smoothing) * own + smoothing * mean
        count = torch.count_nonzero(mask)
        return -both.mul(mask).sum(), count, math.copysign(1, -1) * own.mul(mask).sum()


STYLES = {"translation.loss": (wanted_probabilities, loops, InFloat64())}
