import torch
from torch.nn import functional as F


def by_linear(hidden, tokens, weight, bias, padding_id, pool):
    if pool == "first":
        return F.linear(hidden[:, 0, :], weight, bias)
    padding = tokens.eq(padding_id)
    kept = hidden.masked_fill(padding[..., None], 0.0).sum(dim=1)
    return F.linear(kept / (~padding).sum(1, keepdim=True).clamp(min=1), weight, bias)


def text_by_text(hidden, tokens, weight, bias, padding_id, pool):
    rows = []
    for states, ids in zip(hidden, tokens, strict=True):
        real = states[ids != padding_id]
        pooled = states[0] if pool == "first" else real.sum(0) / max(len(real), 1)
        rows.append(weight @ pooled + bias)
    return torch.stack(rows)


class Head:
    """A callable with a default for pool."""

    def __call__(self, hidden, tokens, weight, bias, padding_id=0, pool="mean"):
        states = hidden.select(1, 0)
        if pool == "mean":
            real = tokens.sub(padding_id).bool().to(hidden.dtype)
            counts = torch.maximum(real.sum(1), torch.ones(len(tokens)))
            states = torch.bmm(real[:, None], hidden)[:, 0] / counts[:, None]
        return torch.addmm(bias, states, weight.t())


STYLES = {"bert.classify": (by_linear, text_by_text, Head())}
