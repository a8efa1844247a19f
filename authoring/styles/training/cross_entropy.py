import torch


def token_by_token(logits, targets, padding_id):
    total, count = logits.new_zeros(()), 0
    for row, goals in zip(logits, targets.tolist(), strict=True):
        for scores, goal in zip(row, goals, strict=True):
            if goal != padding_id:
                total = total + scores.logsumexp(0) - scores[goal]
                count += 1
    return total / max(count, 1)


def shifted_by_hand(logits, targets, padding_id):
    centred = logits - logits.amax(-1, keepdim=True).detach()
    log_p = centred - centred.exp().sum(-1, keepdim=True).log()
    real = targets != padding_id
    losses = torch.where(real, -log_p.take_along_dim(targets.unsqueeze(-1), -1).squeeze(-1), 0.0)
    return losses.sum() / real.sum().clamp(min=1)


def flat_and_picked(logits, targets, padding_id):
    scores, goals = logits.flatten(0, -2), targets.flatten()
    scores, goals = scores[goals != padding_id], goals[goals != padding_id]
    if len(goals) == 0:
        return logits.sum() * 0
    return (scores.logsumexp(1) - scores[torch.arange(len(goals)), goals]).mean()


STYLES = {"training.cross_entropy": (token_by_token, shifted_by_hand, flat_and_picked)}
