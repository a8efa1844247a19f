def token_by_token(logits, targets, padding_id):
    total, count = logits.new_zeros(()), 0
    for row, goals in zip(logits, targets.tolist(), strict=True):
        for scores, goal in zip(row, goals, strict=True):
            if goal != padding_id:
                total = total + scores.logsumexp(0) - scores[goal]
                count += 1
    return total / max(count, 1)


STYLES = {"training.cross_entropy": (token_by_token,)}
