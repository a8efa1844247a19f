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


def head_by_head(
    x, positions, w_query, w_key, w_value, w_output, w_gate, w_up, w_down, scales, d_head, eps
):
    """Blocks of the matrices, and what each head adds."""

    def norm(y, scale):
        return y * torch.rsqrt(torch.mean(y * y, dim=-1, keepdim=True) + eps) * scale

    def head(w, index):
        return y @ w[:, index * d_head : (index + 1) * d_head]

    y, after = norm(x, scales[0]), x
    heads, groups = w_query.shape[1] // d_head, w_key.shape[1] // d_head
    hidden = torch.full((len(positions),) * 2, -torch.inf).triu(1)
    for index in range(heads):
        own = index * groups // heads
        query, key = _turn(head(w_query, index), positions), _turn(head(w_key, own), positions)
        weights = torch.softmax(query @ key.mT / d_head**0.5 + hidden, dim=2)
        part = w_output[index * d_head : (index + 1) * d_head]
        after = after + weights @ head(w_value, own) @ part
    y = norm(after, scales[1])
    return after + torch.einsum("btf,btf,fd->btd", F.silu(y @ w_gate), y @ w_up, w_down)


class Block:
    """Token by token with growing lists of keys and values, as a decoder with a cache does."""

    def norm(self, y, scale, eps):
        return scale * y / (y.pow(2).sum(-1, keepdim=True) / y.shape[-1] + eps) ** 0.5

    def __call__(
        self,
        x,
        positions,
        w_query,
        w_key,
        w_value,
        w_output,
        w_gate,
        w_up,
        w_down,
        scales,
        d_head,
        eps,
    ):
        keys, values, rows = [], [], []
        for token, position in zip(x.unbind(1), positions.split(1), strict=True):
            y = self.norm(token, scales[0], eps)
            query, key, value = (
                (y @ w).view(len(x), -1, 1, d_head) for w in (w_query, w_key, w_value)
            )
            keys.append(_turn(key, position))
            values.append(value)
            group = query.shape[1] // key.shape[1]
            key, value = (
                torch.cat(past, 2).unsqueeze(2).expand(-1, -1, group, -1, -1).flatten(1, 2)
                for past in (keys, values)
            )
            scores = _turn(query, position) @ key.mT / d_head**0.5
            token = token + (scores.softmax(-1) @ value).flatten(1) @ w_output
            y = self.norm(token, scales[1], eps)
            rows.append(token + F.silu(y @ w_gate).mul(y @ w_up) @ w_down)
        return torch.stack(rows, 1)


STYLES = {"modern.bug_hunt": (by_groups, head_by_head, Block())}
