import torch


def token_by_token(logits, targets, padding_id, smoothing):
    words = [word for word in range(logits.shape[-1]) if word != padding_id]
    losses = []
    for scores, goal in zip(logits.flatten(0, 1), targets.flatten().tolist(), strict=True):
        if goal != padding_id:
            costs = scores.logsumexp(0) - scores
            losses.append((1 - smoothing) * costs[goal] + smoothing * costs[words].mean())
    return torch.stack(losses).mean()


STYLES = {"training.label_smoothing": (token_by_token,)}
