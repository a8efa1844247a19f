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


STYLES = {"flash.tiled_forward": (sums_first,)}
