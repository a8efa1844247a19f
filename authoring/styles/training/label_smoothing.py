import torch
from torch import nn
from torch.nn import functional as F


def token_by_token(logits, targets, padding_id, smoothing):
    words = [word for word in range(logits.shape[-1]) if word != padding_id]
    losses = []
    for scores, goal in zip(logits.flatten(0, 1), targets.flatten().tolist(), strict=True):
        if goal != padding_id:
            costs = scores.logsumexp(0) - scores
            losses.append((1 - smoothing) * costs[goal] + smoothing * costs[words].mean())
    return torch.stack(losses).mean()


def by_logits(logits, targets, padding_id, smoothing):
    """The wanted probabilities sum to one, so the normaliser comes out of the sum."""
    real = (targets != padding_id).to(logits.dtype)
    kept = torch.cat([logits[..., :padding_id], logits[..., padding_id + 1 :]], dim=-1)
    goal = torch.take_along_dim(logits, targets[..., None], dim=-1)[..., 0]
    losses = logits.logsumexp(-1) - torch.lerp(goal, kept.mean(-1), smoothing)
    return torch.tensordot(losses, real, dims=2) / real.sum().clamp(min=1.0)


class SmoothedLoss(nn.Module):
    """PyTorch's plain cross-entropy, and an even share beside it."""

    def forward(self, logits, targets, padding_id=0, smoothing=0.1):
        plain = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=padding_id)
        real = targets != padding_id
        log_p = logits[real].log_softmax(-1)
        words = torch.arange(logits.shape[-1]) != padding_id
        return (1 - smoothing) * plain - smoothing * log_p[:, words].mean()


STYLES = {"training.label_smoothing": (token_by_token, by_logits, SmoothedLoss())}
