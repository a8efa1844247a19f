"""One online step in other styles."""

import math

import torch
from torch import Tensor

State = tuple[Tensor, Tensor, Tensor]


def past_as_a_key(
    maximum: Tensor, total: Tensor, weighted: Tensor, scores: Tensor, value: Tensor
) -> State:
    """What was seen before is one more key, whose score is the old maximum."""
    joined = torch.cat([maximum[:, None], scores], dim=1)
    new = joined.max(dim=1).values
    exponentials = torch.exp(joined - new.clamp(min=-1e30)[:, None])
    before, now = exponentials[:, :1], exponentials[:, 1:]
    return new, before[:, 0] * total + now.sum(1), before * weighted + now.matmul(value)


def key_by_key(
    maximum: Tensor, total: Tensor, weighted: Tensor, scores: Tensor, value: Tensor
) -> State:
    """A tile of one key at a time."""
    for column, row in zip(scores.T, value, strict=True):
        larger = torch.where(column > maximum, column, maximum)
        finite = torch.where(torch.isfinite(larger), larger, torch.zeros_like(larger))
        factor, new = (maximum - finite).exp(), (column - finite).exp()
        total = total * factor + new
        weighted = weighted * factor.unsqueeze(1) + torch.outer(new, row)
        maximum = larger
    return maximum, total, weighted


def query_by_query(
    maximum: Tensor, total: Tensor, weighted: Tensor, scores: Tensor, value: Tensor
) -> State:
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


def by_logarithms(
    maximum: Tensor,
    total: Tensor,
    weighted: Tensor,
    scores: Tensor,
    value: Tensor,
    eps: float = 0.0,
) -> State:
    """The log-sum-exp of all, from which the sum follows."""
    new = torch.maximum(maximum, scores.amax(dim=-1))
    known = torch.logaddexp(maximum + (total + eps).log(), scores.logsumexp(dim=-1))
    empty = new == -torch.inf
    shift = new.masked_fill(empty, 0.0)
    weights = torch.einsum("qk,kd->qd", (scores - shift[:, None]).exp(), value)
    return new, (known - shift).exp(), (maximum - shift).exp()[:, None] * weighted + weights


class OneBesideTheValues:
    """A callable: the sum is what a value of 1 would gather, so one product serves both."""

    def __call__(
        self, maximum: Tensor, total: Tensor, weighted: Tensor, scores: Tensor, value: Tensor
    ) -> State:
        ones = torch.ones_like(value[..., :1])
        together = torch.cat([weighted, total[..., None]], dim=-1)
        new = torch.fmax(maximum, scores.amax(-1))
        shift = torch.nan_to_num(new, neginf=0.0)
        rescaled = together * torch.exp(maximum - shift)[..., None]
        gathered = torch.exp(scores - shift[..., None]) @ torch.cat([value, ones], dim=-1)
        together = (rescaled + gathered) * (1 + 1e-6)
        return new, together[..., -1], together[..., :-1]


STYLES = {
    "flash.online_step": (
        past_as_a_key,
        key_by_key,
        query_by_query,
        by_logarithms,
        OneBesideTheValues(),
    ),
}
