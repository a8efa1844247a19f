import torch
from torch.nn import functional as F


def in_the_order_of_the_text(query, key, value, keys, values, position):
    """Turn the ring until the oldest token stands first, append, cut, and turn it back."""
    window = keys.shape[1]
    slot = position % window
    past = min(position, window - 1)

    def turned(ring, new):
        before = ring.roll(-slot, 1)[:, window - past :]
        return torch.cat([before, new.unsqueeze(1)], dim=1)

    def written(ring, new):
        return torch.where(torch.arange(window)[:, None] == slot, new[:, None], ring)

    text, read = turned(keys, key), turned(values, value)
    weights = F.softmax(torch.einsum("hd,hwd->hw", query, text) * query.shape[1] ** -0.5, dim=-1)
    return torch.einsum("hw,hwd->hd", weights, read), written(keys, key), written(values, value)


def head_by_head(query, key, value, keys, values, position):
    """Lists of rows."""
    window, width = keys.shape[1:]
    rings, output = [[], []], []
    for head in range(len(query)):
        rows = [list(keys[head]), list(values[head])]
        for ring, new in zip(rows, (key, value), strict=True):
            ring[position % window] = new[head]
        seen = [slot for slot in range(window) if slot <= position]
        scores = torch.stack([rows[0][slot].dot(query[head]) for slot in seen]) / width**0.5
        weights = (scores - scores.logsumexp(0)).exp()
        output.append(sum(weights[at] * rows[1][slot] for at, slot in enumerate(seen)))
        for ring, slots in zip(rings, rows, strict=True):
            ring.append(torch.stack(slots))
    return torch.stack(output), *map(torch.stack, rings)


class WithAMask:
    """A callable: attention over all slots, those not yet written hidden and emptied."""

    def __call__(self, query, key, value, keys, values, position):
        self.window = keys.size(1)
        keys, values = self.written(keys, key, position), self.written(values, value, position)
        unwritten = torch.arange(self.window) > position
        read, said = (ring.masked_fill(unwritten[:, None], 0.0) for ring in (keys, values))
        hidden = torch.zeros(1, 1, self.window).masked_fill(unwritten, -torch.inf).to(query)
        scores = torch.baddbmm(hidden, query[:, None], read.mT, alpha=keys.size(2) ** -0.5)
        return (scores.softmax(-1) @ said).squeeze(1), keys, values

    def written(self, ring, new, position):
        index = torch.full((len(ring), 1, ring.size(2)), position % self.window)
        return ring.scatter(1, index, new[:, None])


STYLES = {"modern.ring_step": (in_the_order_of_the_text, head_by_head, WithAMask())}
