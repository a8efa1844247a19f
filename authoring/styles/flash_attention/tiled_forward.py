import math

import torch


def _scores(q, k, top, left, shift, causal):
    """Scaled scores of one tile, -inf where hidden."""
    scores = torch.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
    if causal:
        rows = torch.arange(top, top + q.shape[-2])[:, None] + shift
        scores.masked_fill_(rows < torch.arange(left, left + k.shape[-2]), -torch.inf)
    return scores


def sums_first(query, key, value, tile_queries, tile_keys, causal):
    """Twice over the tiles: once for the log-sum-exp, once for the output."""
    shift = key.shape[-2] - query.shape[-2]
    outputs, sums = [], []
    for top in range(0, query.shape[-2], tile_queries):
        q = query.narrow(-2, top, min(tile_queries, query.shape[-2] - top))
        total = torch.full(q.shape[:-1], -torch.inf)
        output = torch.zeros(*q.shape[:-1], value.shape[-1])
        for again in (False, True):
            for left in range(0, key.shape[-2], tile_keys):
                here = slice(left, left + tile_keys)
                scores = _scores(q, key[..., here, :], top, left, shift, causal)
                if again:
                    weights = torch.exp(scores - total.nan_to_num(neginf=0.0)[..., None])
                    output = output + weights @ value[..., here, :]
                else:
                    total = torch.logaddexp(total, scores.logsumexp(dim=-1))
        outputs.append(output)
        sums.append(total)
    return torch.cat(outputs, dim=-2), torch.cat(sums, dim=-1)


def head_by_head(query, key, value, tile_queries, tile_keys, causal=False, scale=None):
    """Leading axes one by one; tiles as lists; plain numbers decide what a query sees."""
    if query.dim() > 2:
        parts = [
            head_by_head(q, k, v, tile_queries, tile_keys, causal, scale)
            for q, k, v in zip(query, key, value, strict=True)
        ]
        return torch.stack([o for o, _ in parts]), torch.stack([s for _, s in parts])
    shift, top = len(key) - len(query), 0
    tiles = list(zip(key.split(tile_keys), value.split(tile_keys), strict=True))
    outputs, sums = [], []
    for q in query.split(tile_queries):
        q = q * (scale or 1 / math.sqrt(q.shape[1]))
        largest, total, weighted = torch.full((len(q), 1), -1e30), torch.zeros(len(q), 1), 0 * q
        left = 0
        for k, v in tiles:
            scores = q.mm(k.t())
            if causal:
                for row in range(len(q)):
                    scores[row, max(0, top + row + shift + 1 - left) :] = -torch.inf
            left += len(k)
            new = torch.maximum(largest, scores.max(dim=1, keepdim=True).values)
            exponentials = scores.sub(new).exp()
            total = total * (largest - new).exp() + exponentials.sum(1, keepdim=True)
            weighted = torch.addmm(weighted * (largest - new).exp(), exponentials, v)
            largest = new
        outputs.append(weighted / total.clamp(min=1e-30))
        sums.append((largest + total.log()).squeeze(1))
        top += len(q)
    return torch.cat(outputs), torch.cat(sums)


class Skipping:
    """A callable that keeps its state in itself, and goes no further than a tile can see."""

    def __call__(self, query, key, value, tile_queries, tile_keys, causal):
        queries, keys = query.shape[-2], key.shape[-2]
        self.output, self.sums = torch.zeros_like(query), torch.zeros_like(query[..., 0])
        for top in range(0, queries, tile_queries):
            bottom = min(top + tile_queries, queries)
            end = max(0, bottom + keys - queries) if causal else keys
            state = query.new_zeros(*query.shape[:-2], bottom - top, value.shape[-1] + 1)
            maximum = torch.full_like(state[..., :1], -torch.inf)
            for left in range(0, end, tile_keys):
                right = min(left + tile_keys, end)
                scores = query[..., top:bottom, :] @ key[..., left:right, :].transpose(-1, -2)
                scores = scores / query.shape[-1] ** 0.5
                if causal and right - 1 > top + keys - queries:
                    hidden = torch.ones(bottom - top, right - left, dtype=torch.bool)
                    hidden = hidden.triu(top + keys - queries - left + 1)
                    scores = scores.where(~hidden, -torch.inf)
                new = torch.cat([maximum, scores], dim=-1).amax(-1, keepdim=True)
                base = torch.where(new == -torch.inf, 0.0, new)
                state = state * (maximum - base).exp()
                exponentials = (scores - base).exp()
                state[..., :-1] += exponentials @ value[..., left:right, :]
                state[..., -1] += exponentials.sum(-1)
                maximum = new
            self.finish(slice(top, bottom), state, maximum)
        return self.output, self.sums

    def finish(self, own, state, maximum):
        total = state[..., -1]
        self.output[..., own, :] = (state[..., :-1] / total[..., None]).nan_to_num(0.0)
        self.sums[..., own] = maximum[..., 0] + total.log()


STYLES = {"flash.tiled_forward": (sums_first, head_by_head, Skipping())}
