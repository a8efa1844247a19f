import torch
from torch.nn import functional as F


def _turn(x, positions):
    width = x.shape[-1]
    angles = positions[:, None] * 10_000 ** (-torch.arange(0, width, 2) / width)
    even, odd = x[..., ::2], x[..., 1::2]
    turned = torch.empty_like(x)
    turned[..., ::2] = even * angles.cos() - odd * angles.sin()
    turned[..., 1::2] = even * angles.sin() + odd * angles.cos()
    return turned


def by_groups(
    x, positions, w_query, w_key, w_value, w_output, w_gate, w_up, w_down, scales, d_head, eps
):
    """Query heads in groups, beside which a key head is broadcast; nothing is repeated."""
    y = F.rms_norm(x, x.shape[-1:], scales[0], eps)
    key, value = ((y @ w).unflatten(-1, (-1, 1, d_head)) for w in (w_key, w_value))
    query = (y @ w_query).unflatten(-1, (key.shape[2], -1, d_head))
    query, key, value = (part.permute(0, 2, 3, 1, 4) for part in (query, key, value))
    query, key = _turn(query, positions), _turn(key, positions)
    scores = query.matmul(key.transpose(-2, -1)) * d_head**-0.5
    past = torch.ones(len(positions), len(positions), dtype=torch.bool).tril()
    weights = F.softmax(scores.masked_fill(~past, float("-inf")), dim=-1)
    read = (weights @ value).permute(0, 3, 1, 2, 4).reshape(*x.shape[:2], -1)
    x = x + read @ w_output
    y = F.rms_norm(x, x.shape[-1:], scales[1], eps)
    gate = y @ w_gate
    return x + (gate * torch.sigmoid(gate) * (y @ w_up)) @ w_down


STYLES = {"modern.bug_hunt": (by_groups,)}
