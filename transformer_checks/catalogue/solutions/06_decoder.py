# Derived from solutions/06_decoder.ipynb by `make exercises`.


import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from transformer_lesson.attention import MultiHeadAttention


# %% decoder.mask
def decoder_mask(tokens: Tensor, padding_id: int) -> Tensor:
    """Return the mask (batch, 1, tokens, tokens) of token ids (batch, tokens)."""
    position = torch.arange(tokens.shape[1])
    causal = position <= position[:, None]
    return causal & (tokens != padding_id)[:, None, None, :]


# %% decoder.cross_attention
def cross_attention(
    target: Tensor,
    memory: Tensor,
    source: Tensor,
    padding_id: int,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
) -> tuple[Tensor, Tensor]:
    """Attend from target (batch, target tokens, d_model) to memory (batch, source tokens, d_model).

    Returns the output (batch, target tokens, d_value) and the weights
    (batch, target tokens, source tokens).
    """
    query, key, value = target @ w_query, memory @ w_key, memory @ w_value
    hidden = (source == padding_id)[:, None, :]
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1).masked_fill(hidden, 0.0)
    return weights @ value, weights


# %% decoder.layer
class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.self_attention_norm = nn.LayerNorm(d_model)
        self.cross_attention_norm = nn.LayerNorm(d_model)
        self.feed_forward_norm = nn.LayerNorm(d_model)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor, memory_mask: Tensor) -> Tensor:
        """x is (batch, target tokens, d_model), memory (batch, source tokens, d_model)."""
        x = x + self.self_attention(self.self_attention_norm(x), mask=mask)[0]
        normed = self.cross_attention_norm(x)
        x = x + self.cross_attention(normed, memory, mask=memory_mask)[0]
        return x + self.down(F.relu(self.up(self.feed_forward_norm(x))))


# %% decoder.greedy
def greedy(model, prompt: Tensor, max_tokens: int, end_id: int, padding_id: int) -> Tensor:
    """Continue prompt (batch, tokens); return ids (batch, at most max_tokens), prompt included."""
    tokens = prompt
    finished = torch.zeros(len(prompt), dtype=torch.bool)
    while tokens.shape[1] < max_tokens and not finished.all():
        chosen = model(tokens).argmax(-1).masked_fill(finished, padding_id)
        tokens = torch.cat([tokens, chosen[:, None]], dim=1)
        finished = finished | (chosen == end_id)
    return tokens


# %% decoder.cached_step
def cached_step(
    new: Tensor, keys: Tensor, values: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Read new (batch, 1, d_model); keys and values are (batch, heads, tokens, d_head).

    Returns the output (batch, 1, d_model) and the keys and values of all tokens.
    """
    def split(row: Tensor) -> Tensor:
        return row.unflatten(-1, (keys.shape[1], keys.shape[3])).transpose(1, 2)

    all_keys = torch.cat([keys, split(new @ w_key)], dim=2)
    all_values = torch.cat([values, split(new @ w_value)], dim=2)
    scores = split(new @ w_query) @ all_keys.mT / math.sqrt(keys.shape[3])
    heads = scores.softmax(dim=-1) @ all_values  # (batch, heads, 1, d_head)
    return heads.transpose(1, 2).flatten(-2), all_keys, all_values


# %% decoder.beam_search
def beam_search(
    model, prompt: Tensor, width: int, max_tokens: int, end_id: int, length_penalty: float
) -> tuple[Tensor, float]:
    """Continue prompt (1, tokens). Returns the tokens (length,) of the best text and its score."""
    running, finished = [(0.0, prompt[0].tolist())], []
    for written in range(1, max_tokens - prompt.shape[1] + 1):
        penalty = ((5 + written) / 6) ** length_penalty
        grown = []
        for total, text in running:
            gains = model(torch.tensor([text]))[0].log_softmax(-1).tolist()
            grown += [(total + gain, [*text, word]) for word, gain in enumerate(gains)]
        grown.sort(reverse=True)
        finished += [(t / penalty, text) for t, text in grown[:width] if text[-1] == end_id]
        running = [beam for beam in grown if beam[1][-1] != end_id][:width]
    score, text = max(finished + [(total / penalty, text) for total, text in running])
    return torch.tensor(text), score


# %% decoder.repaired_generation
def broken_generation(
    embedding, positions, w_query, w_key, w_value, prompt, max_tokens, end_id, padding_id
):
    tokens, cache = prompt, []
    while tokens.shape[1] < max_tokens:
        x = embedding[tokens] + positions[: tokens.shape[1]]
        cache = []
        for query, key, value in zip(w_query, w_key, w_value):
            scores = x @ query @ (x @ key).mT / math.sqrt(x.shape[-1])
            x = x + scores.softmax(dim=-1) @ (x @ value)
            cache.append(x)  # the past is kept for the next step
        chosen = (x[:, -1] @ embedding.T).argmax(-1)
        tokens = torch.cat([tokens, chosen[:, None]], dim=1)
    return tokens, torch.stack(cache), torch.stack(cache)


def repaired_generation(
    embedding: Tensor,
    positions: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    prompt: Tensor,
    max_tokens: int,
    end_id: int,
    padding_id: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """Continue prompt (batch, 1): tokens, keys, values. w_query is (layers, d_model, d_model)."""
    layers, d_model, _ = w_query.shape
    keys = values = embedding.new_zeros(layers, len(prompt), 0, d_model)
    tokens, finished = prompt, torch.zeros(len(prompt), dtype=torch.bool)
    while tokens.shape[1] < max_tokens and not finished.all():
        x = embedding[tokens[:, -1:]] + positions[tokens.shape[1] - 1]  # (batch, 1, d_model)
        new_keys, new_values = [], []
        for layer in range(layers):
            new_keys.append(torch.cat([keys[layer], x @ w_key[layer]], dim=1))
            new_values.append(torch.cat([values[layer], x @ w_value[layer]], dim=1))
            scores = x @ w_query[layer] @ new_keys[-1].mT / math.sqrt(d_model)
            x = x + scores.softmax(dim=-1) @ new_values[-1]
        keys, values = torch.stack(new_keys), torch.stack(new_values)
        chosen = (x[:, -1] @ embedding.T).argmax(-1).masked_fill(finished, padding_id)
        tokens = torch.cat([tokens, chosen[:, None]], dim=1)
        finished = finished | (chosen == end_id)
    return tokens, keys, values


# %% decoder.nucleus
def nucleus(logits: Tensor, top_p: float) -> Tensor:
    """Turn logits (..., vocabulary) into probabilities of the same shape."""
    probability = logits.softmax(dim=-1)
    ordered, order = probability.sort(dim=-1, descending=True)
    inside = ordered.cumsum(dim=-1) - ordered < top_p  # what stands before does not reach it
    kept = probability * inside.gather(-1, order.argsort(dim=-1))
    return kept / kept.sum(dim=-1, keepdim=True)


# %% decoder.speculative
def speculative_round(
    p: Tensor, q: Tensor, guessed: Tensor, random: Tensor, last: float
) -> tuple[Tensor, Tensor]:
    """Return the tokens of one round, and the average number of tokens.

    p is (guesses + 1, vocabulary), q (guesses, vocabulary), guessed and random are (guesses,).
    """
    places = torch.arange(len(guessed))
    share = p[places, guessed] / q[places, guessed]
    kept = int((random < share).cumprod(0).sum())
    left = (p[kept] - q[kept]).clamp(min=0) if kept < len(guessed) else p[kept]
    sums = left.cumsum(0)
    drawn = (sums <= last * sums[-1]).sum()
    both = torch.minimum(p[:-1], q).sum(-1)  # how often a guess is kept at each place
    return torch.cat([guessed[:kept], drawn[None]]), 1 + both.cumprod(0).sum()
