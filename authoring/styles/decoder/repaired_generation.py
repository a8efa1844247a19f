from functools import partial

import torch


def _joined(cache, which):
    return torch.stack([layer[which] for layer in cache])


def room_for_all(
    embedding, positions, w_query, w_key, w_value, prompt, max_tokens, end_id, padding_id
):
    """Tables of the full length, written into and cut off; places not yet read are hidden."""
    layers, width, _ = w_key.shape
    keys = torch.zeros(layers, len(prompt), max_tokens, width)
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


def row_by_row(
    embedding, positions, w_query, w_key, w_value, prompt, max_tokens, end_id, padding_id
):
    """Each row alone, as far as it goes; then short rows read padding until all are as long."""
    weights = (embedding, positions, w_query, w_key, w_value)
    alone = [_one_row(*weights, row, max_tokens, end_id, padding_id, 0) for row in prompt]
    longest = max(len(tokens) for tokens, _, _ in alone)
    again = [_one_row(*weights, row, longest, end_id, padding_id, longest) for row in prompt]
    tokens, keys, values = zip(*again, strict=True)
    return torch.stack(tokens), torch.stack(keys, dim=1), torch.stack(values, dim=1)


def _one_row(
    embedding, positions, w_query, w_key, w_value, start, max_tokens, end_id, padding_id, least
):
    text, ended = start.tolist(), False
    keys, values = w_key[:, :0], w_value[:, :0]
    while len(text) < max_tokens and not (ended and len(text) >= least):
        x = embedding[text[-1]] + positions[len(text) - 1]
        pairs = []
        for query, key, value, k, v in zip(w_query, w_key, w_value, keys, values, strict=True):
            pair = torch.vstack([k, x @ key]), torch.vstack([v, x @ value])
            weights = (pair[0] @ (x @ query) / len(x) ** 0.5).softmax(0)
            x = x + weights @ pair[1]
            pairs.append(pair)
        keys, values = (torch.stack(part) for part in zip(*pairs, strict=True))
        text.append(padding_id if ended else int((embedding @ x).argmax()))
        ended = ended or text[-1] == end_id
    return torch.tensor(text), keys, values


STYLES = {"decoder.repaired_generation": (room_for_all, partial(_recursive, cache=[]), row_by_row)}
