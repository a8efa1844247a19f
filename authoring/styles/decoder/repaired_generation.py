from functools import partial

import torch


def _joined(cache, which):
    return torch.stack([layer[which] for layer in cache])


def room_for_all(
    embedding, positions, w_query, w_key, w_value, prompt, max_tokens, end_id, padding_id
):
    """Tables of the full length, written into and cut off; places not yet read are hidden."""
    layers, width, _ = w_key.shape
    keys = w_key.new_zeros(layers, len(prompt), max_tokens, width)
    values = torch.zeros_like(keys)
    tokens = torch.full((len(prompt), max_tokens), padding_id)
    tokens[:, 0] = prompt[:, 0]
    running = torch.ones(len(prompt), dtype=torch.bool)
    read = 0
    while read < max_tokens - 1 and bool(running.any()):
        x = embedding[tokens[:, read]] + positions[read]
        for layer in range(layers):
            keys[layer, :, read] = x @ w_key[layer]
            values[layer, :, read] = x @ w_value[layer]
            scores = torch.einsum("bm,mh,bkh->bk", x, w_query[layer], keys[layer]) * width**-0.5
            scores = scores.where(torch.arange(max_tokens) <= read, -torch.inf)
            x = x + torch.einsum("bk,bkh->bh", torch.exp(scores - _lse(scores)), values[layer])
        read += 1
        tokens[running, read] = (x @ embedding.mT).max(dim=-1).indices[running]
        running &= tokens[:, read] != end_id
    return tokens[:, : read + 1], keys[:, :, :read], values[:, :, :read]


def _lse(scores):
    return scores.logsumexp(dim=-1, keepdim=True)


def _recursive(
    embedding, positions, w_query, w_key, w_value, tokens, max_tokens, end_id, padding_id, cache
):
    """One step, then the rest; each layer's cache is a list of two tensors."""
    cache = cache or [[w[:0, None].expand(-1, len(tokens), -1)] * 2 for w in w_key]
    x = (embedding[tokens[:, -1]] + positions[tokens.shape[1] - 1])[None]
    grown = []
    for layer, (past_keys, past_values) in enumerate(cache):
        pair = [
            torch.cat([past_keys, x @ w_key[layer]]),
            torch.cat([past_values, x @ w_value[layer]]),
        ]
        scores = (x @ w_query[layer] * pair[0]).sum(-1, keepdim=True) / x.shape[-1] ** 0.5
        x = x + (scores.softmax(0) * pair[1]).sum(0, keepdim=True)
        grown.append(pair)
    ended = (tokens[:, 1:] == end_id).any(1)
    word = torch.where(ended, padding_id, (x[0] @ embedding.T).argmax(-1))
    tokens = torch.cat([tokens, word[:, None]], dim=1)
    if tokens.shape[1] == max_tokens or (tokens[:, 1:] == end_id).any(1).all():
        return tokens, _joined(grown, 0).transpose(1, 2), _joined(grown, 1).transpose(1, 2)
    rest = (max_tokens, end_id, padding_id, grown)
    return _recursive(embedding, positions, w_query, w_key, w_value, tokens, *rest)


# Both: a case in which words tie would refuse the second alone.
STYLES = {"decoder.repaired_generation": (partial(_recursive, cache=[]), room_for_all)}
