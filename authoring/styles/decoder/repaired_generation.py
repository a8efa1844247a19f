"""Generation with a cache in other styles."""

import math
from functools import partial

import torch
from torch import Tensor

Result = tuple[Tensor, Tensor, Tensor]


def _joined(cache: list[list[Tensor]], which: int) -> Tensor:
    return torch.stack([layer[which] for layer in cache])


def cache_of_lists(
    embedding: Tensor,
    positions: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    prompt: Tensor,
    max_tokens: int,
    end_id: int,
    padding_id: int,
) -> Result:
    """For each layer a list of keys and a list of values, put together at the end."""
    weights = list(zip(w_query, w_key, w_value, strict=True))
    keys: list[list[Tensor]] = [[] for _ in weights]
    values: list[list[Tensor]] = [[] for _ in weights]
    columns, done = [prompt[:, 0]], set[int]()
    while len(columns) < max_tokens and len(done) < len(prompt):
        x = embedding[columns[-1]] + positions[len(columns) - 1]
        for layer, (query, key, value) in enumerate(weights):
            keys[layer].append(x @ key)
            values[layer].append(x @ value)
            scores = [(x @ query * k).sum(-1) / math.sqrt(x.shape[-1]) for k in keys[layer]]
            shares = torch.stack(scores).softmax(dim=0)
            x = x + sum(s[:, None] * v for s, v in zip(shares, values[layer], strict=True))
        words = (x @ embedding.T).argmax(-1).tolist()
        words = [padding_id if row in done else word for row, word in enumerate(words)]
        done |= {row for row, word in enumerate(words) if word == end_id}
        columns.append(torch.tensor(words))
    stacked = [torch.stack([torch.stack(k, dim=1) for k in part]) for part in (keys, values)]
    return torch.stack(columns, dim=1), stacked[0], stacked[1]


def room_for_all(
    embedding: Tensor,
    positions: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    prompt: Tensor,
    max_tokens: int,
    end_id: int,
    padding_id: int,
) -> Result:
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


def _lse(scores: Tensor) -> Tensor:
    return scores.logsumexp(dim=-1, keepdim=True)


def _recursive(
    embedding: Tensor,
    positions: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    tokens: Tensor,
    max_tokens: int,
    end_id: int,
    padding_id: int,
    cache: list[list[Tensor]],
) -> Result:
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
    embedding: Tensor,
    positions: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    prompt: Tensor,
    max_tokens: int,
    end_id: int,
    padding_id: int,
) -> Result:
    """Each row alone, as far as it goes; then short rows read padding until all are as long."""
    weights = (embedding, positions, w_query, w_key, w_value)
    alone = [_one_row(*weights, row, max_tokens, end_id, padding_id, 0) for row in prompt]
    longest = max(len(tokens) for tokens, _, _ in alone)
    again = [_one_row(*weights, row, longest, end_id, padding_id, longest) for row in prompt]
    tokens, keys, values = zip(*again, strict=True)
    return torch.stack(tokens), torch.stack(keys, dim=1), torch.stack(values, dim=1)


def _one_row(
    embedding: Tensor,
    positions: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    start: Tensor,
    max_tokens: int,
    end_id: int,
    padding_id: int,
    least: int,
) -> Result:
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


class Decoder:
    """A callable that keeps cache and text in itself, and rounds as on another machine."""

    def __call__(
        self,
        embedding: Tensor,
        positions: Tensor,
        w_query: Tensor,
        w_key: Tensor,
        w_value: Tensor,
        prompt: Tensor,
        max_tokens: int,
        end_id: int,
        padding_id: int,
    ) -> Result:
        self.tokens = prompt.clone()
        self.cache = torch.empty(2, len(w_key), len(prompt), 0, w_key.shape[-1])
        # Key and value in one product.
        weights = torch.cat([w_key, w_value], dim=-1)
        for place in positions[: max_tokens - 1]:
            x = self.read(embedding[self.tokens[:, -1:]] + place, w_query, weights)
            ended = self.tokens[:, 1:].eq(end_id).any(dim=1)
            word = torch.einsum("bm,vm->bv", x[:, -1], embedding).argmax(dim=1)
            word[ended] = padding_id
            self.tokens = torch.hstack([self.tokens, word[:, None]])
            if (ended | (word == end_id)).all():
                break
        keys, values = self.cache * (1 + 1e-6)
        return self.tokens, keys, values

    def read(self, x: Tensor, w_query: Tensor, weights: Tensor) -> Tensor:
        grown = []
        for layer, weight in enumerate(weights):
            new = torch.stack((x @ weight).tensor_split(2, dim=-1))
            keys, values = pair = torch.cat([self.cache[:, layer], new], dim=2)
            scores = torch.baddbmm(
                torch.zeros(1), x @ w_query[layer], keys.mT, alpha=x.shape[-1] ** -0.5
            )
            x = x + torch.bmm(scores.softmax(2), values)
            grown.append(pair)
        self.cache = torch.stack(grown, dim=1)
        return x


STYLES = {
    "decoder.repaired_generation": (
        cache_of_lists,
        room_for_all,
        partial(_recursive, cache=[]),
        row_by_row,
        Decoder(),
    ),
}
