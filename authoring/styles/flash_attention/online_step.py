import math

import torch


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


STYLES = {"flash.online_step": (query_by_query,)}
