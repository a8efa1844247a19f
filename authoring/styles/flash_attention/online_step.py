import math

import torch


def past_as_a_key(maximum, total, weighted, scores, value):
    """What was seen before is one more key, whose score is the old maximum."""
    joined = torch.cat([maximum[:, None], scores], dim=1)
    new = joined.max(dim=1).values
    exponentials = torch.exp(joined - new.clamp(min=-1e30)[:, None])
    before, now = exponentials[:, :1], exponentials[:, 1:]
    return new, before[:, 0] * total + now.sum(1), before * weighted + now.matmul(value)


def key_by_key(maximum, total, weighted, scores, value):
    """A tile of one key at a time."""
    for column, row in zip(scores.T, value, strict=True):
        larger = torch.where(column > maximum, column, maximum)
        finite = torch.where(torch.isfinite(larger), larger, torch.zeros_like(larger))
        factor, new = (maximum - finite).exp(), (column - finite).exp()
        total = total * factor + new
        weighted = weighted * factor.unsqueeze(1) + torch.outer(new, row)
        maximum = larger
    return maximum, total, weighted


def query_by_query(maximum, total, weighted, scores, value):
    """Plain numbers; a query whose tile is all masked stays as it is."""
    states = []
    for m, t, w, row in zip(maximum.tolist(), total.tolist(), weighted, scores, strict=True):
        new = max(m, row.max().item())
        if new == -math.inf:
            states.append((m, t, w))
            continue
        factor = math.exp(m - new)
        exponentials = torch.exp(row - new)
        states.append((new, factor * t + float(exponentials.sum()), factor * w))
        states[-1] = (*states[-1][:2], states[-1][2] + exponentials @ value)
    maxima, totals, weights = zip(*states, strict=True)
    return torch.tensor(maxima), torch.tensor(totals), torch.stack(weights)


STYLES = {"flash.online_step": (past_as_a_key, key_by_key, query_by_query)}
