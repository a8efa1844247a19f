# Derived from solutions/04_positional_encoding.ipynb by `make exercises`.


import math

import torch
from torch import Tensor


# %% positions.sinusoidal
def sinusoidal_table(max_tokens: int, d_model: int, base: float) -> Tensor:
    """Return the rows of positions 0 to max_tokens - 1: (max_tokens, d_model)."""
    frequencies = base ** (-torch.arange(0, d_model, 2) / d_model)
    angles = torch.arange(max_tokens)[:, None] * frequencies  # (max_tokens, pairs)
    table = torch.empty(max_tokens, d_model)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()[:, : d_model // 2]
    return table


# %% positions.rotation
def rotation(k: int, d_model: int) -> Tensor:
    """Return the matrix (d_model, d_model) that moves every position by k."""
    matrix = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        angle = k * 10_000 ** (-i / d_model)
        sine, cosine = math.sin(angle), math.cos(angle)
        matrix[i : i + 2, i : i + 2] = torch.tensor([[cosine, sine], [-sine, cosine]])
    return matrix


# %% positions.add
def add_positions(embeddings: Tensor, table: Tensor, start: int) -> Tensor:
    """Add rows of table (max_tokens, d_model) to embeddings (batch, tokens, d_model)."""
    return embeddings + table[start : start + embeddings.shape[1]]


# %% positions.relative_bias
def broken_bias(table: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor:
    max_distance = table.shape[1] // 2
    distance = key_positions - query_positions[:, None]
    column = distance.clamp(-max_distance, max_distance + 1) + max_distance
    return table.T[column]


def relative_bias(table: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor:
    """Return the bias (heads, queries, keys) for positions (queries,) and (keys,)."""
    max_distance = table.shape[1] // 2
    distance = key_positions - query_positions[:, None]
    column = distance.clamp(-max_distance, max_distance) + max_distance
    return table[:, column]


# %% positions.rotary
def rotate(x: Tensor, positions: Tensor) -> Tensor:
    """Turn x (..., tokens, d_head) by integer positions (tokens,); same shape out."""
    d_head = x.shape[-1]
    angles = positions[:, None] * 10_000 ** (-torch.arange(0, d_head, 2) / d_head)
    sine, cosine = angles.sin(), angles.cos()  # (tokens, d_head / 2)
    even, odd = x[..., 0::2], x[..., 1::2]
    pairs = (even * cosine - odd * sine, even * sine + odd * cosine)
    return torch.stack(pairs, dim=-1).flatten(-2)


# %% positions.alibi
def alibi_bias(num_heads: int, query_positions: Tensor, key_positions: Tensor) -> Tensor:
    """Return the bias (num_heads, queries, keys) for positions (queries,) and (keys,)."""
    power = 2 ** int(math.log2(num_heads))
    slopes = [2 ** (-8 * head / power) for head in range(1, power + 1)]
    between = [2 ** (-4 * head / power) for head in range(1, 2 * power, 2)]
    slopes = torch.tensor(slopes + between[: num_heads - power])
    distance = (key_positions - query_positions[:, None]).abs()
    return -slopes[:, None, None] * distance


# %% positions.reach
def reach(correct: Tensor, trained: int, num_words: int) -> tuple[Tensor, int]:
    """Measure how far beyond its training a model reads.

    correct (texts, places) is boolean and has at least one new place. Returns the share of right
    answers at new places, and the number of words up to which the model does better than a guess.
    """
    shares = correct[:, trained:].double().mean(dim=0)  # (new places,)
    chance = 1 / num_words
    error = math.sqrt(chance * (1 - chance) / len(correct))
    read = shares > chance + 2 * error
    return shares.mean(), trained + int(read.cumprod(0).sum())
