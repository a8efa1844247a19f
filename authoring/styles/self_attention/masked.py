import math

import torch


def _scores(query, key):
    return query @ key.mT / math.sqrt(query.shape[-1])


def empty_rows_opened_first(query, key, value, mask):
    seeing = mask.any(-1, keepdim=True)
    scores = torch.where(mask | ~seeing, _scores(query, key), -torch.inf)
    weights = scores.softmax(-1).where(seeing, torch.tensor(0.0))
    return weights @ value, weights


def only_what_is_allowed(query, key, value, mask):
    scores = _scores(query, key)
    allowed = mask.expand(scores.shape).reshape(-1, scores.shape[-1])
    rows = []
    for row, keep in zip(scores.reshape(allowed.shape), allowed, strict=True):
        places = keep.nonzero().flatten()
        rows.append(torch.zeros_like(row).index_add(0, places, row[places].softmax(0)))
    weights = torch.stack(rows).view(scores.shape)
    return [weights @ value, weights]


class InDouble:
    """An instance that is called: exponentials by hand, divided where there is something."""

    def __call__(self, query, key, value, mask):
        scores = _scores(query.double(), key.double()).masked_fill(~mask, -1e300)
        exponentials = (scores - scores.amax(-1, keepdim=True)).exp() * mask
        weights = exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-30)
        return (weights @ value.double()).float(), weights.float()


STYLES = {"attention.masked": (empty_rows_opened_first, only_what_is_allowed, InDouble())}
