# Derived from solutions/03_multi_head_attention.ipynb by `make exercises`.


import math

import torch
from torch import Tensor, nn


# %% heads.split
def split_heads(tokens: Tensor, num_heads: int) -> Tensor:
    """Split tokens (batch, tokens, d_model) into heads (batch, heads, tokens, d_head)."""
    batch, length, d_model = tokens.shape
    return tokens.view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)


# %% heads.merge
def merge_heads(heads: Tensor) -> Tensor:
    """Merge heads (batch, heads, tokens, d_head) into tokens (batch, tokens, heads * d_head)."""
    batch, num_heads, length, d_head = heads.shape
    return heads.transpose(1, 2).reshape(batch, length, num_heads * d_head)


# %% heads.attend
def multi_head_attention(
    tokens: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    num_heads: int,
) -> tuple[Tensor, Tensor]:
    """Let tokens (batch, tokens, d_model) attend to one another in several heads.

    Returns the output (batch, tokens, d_model) and the weights (batch, heads, tokens, tokens).
    """
    query, key, value = (split_heads(tokens @ w, num_heads) for w in (w_query, w_key, w_value))
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return merge_heads(weights @ value) @ w_output, weights


# %% heads.module
class MultiHeadAttention(nn.Module):
    """Attention in num_heads heads of width d_model // num_heads."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query_projection = nn.Linear(d_model, d_model)
        self.key_projection = nn.Linear(d_model, d_model)
        self.value_projection = nn.Linear(d_model, d_model)
        self.output_projection = nn.Linear(d_model, d_model)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        """Attend from query (batch, queries, d_model) to key and value (batch, keys, d_model).

        mask: boolean, True = may attend. Returns the output (batch, queries, d_model).
        """
        query = split_heads(self.query_projection(query), self.num_heads)
        key = split_heads(self.key_projection(key), self.num_heads)
        value = split_heads(self.value_projection(value), self.num_heads)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        lowest = torch.finfo(scores.dtype).min
        weights = torch.softmax(scores.masked_fill(~mask, lowest), dim=-1)
        weights = weights.masked_fill(~mask, 0.0)
        return self.output_projection(merge_heads(weights @ value))


# %% heads.pytorch_mask
def mask_for_pytorch(real: Tensor, num_heads: int, queries: int) -> Tensor:
    """Turn real (batch, keys), True = a token, into a mask (batch * heads, queries, keys).

    In the result True = blocked.
    """
    blocked = ~real[:, None, :].expand(-1, queries, -1)
    return blocked.repeat_interleave(num_heads, dim=0)


# %% heads.contributions
def head_contributions(heads: Tensor, w_output: Tensor) -> Tensor:
    """Return what each head adds to the output of the layer.

    heads is (batch, heads, tokens, d_head), w_output (heads * d_head, d_model); the result is
    (batch, heads, tokens, d_model), and its sum over heads is the output.
    """
    _, num_heads, _, d_head = heads.shape
    return heads @ w_output.view(num_heads, d_head, -1)


# %% heads.prune
def prune_heads(
    w_value: Tensor, w_output: Tensor, num_heads: int, kept: list[int]
) -> tuple[Tensor, Tensor]:
    """Return w_value (d_model, kept heads * d_head) and w_output (kept heads * d_head, d_model)."""
    columns, rows = w_value.chunk(num_heads, dim=1), w_output.chunk(num_heads, dim=0)
    kept_columns = torch.cat([columns[head] for head in kept], dim=1)
    return kept_columns, torch.cat([rows[head] for head in kept], dim=0)


# %% heads.grouped
def grouped_attention(
    tokens: Tensor,
    w_query: Tensor,
    w_key: Tensor,
    w_value: Tensor,
    w_output: Tensor,
    num_heads: int,
    num_kv_heads: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """Convert attention in num_heads heads to num_kv_heads heads of keys and values, and run it.

    Returns the output (batch, tokens, d_model), w_key (d_model, num_kv_heads * d_head) and
    w_value (d_model, num_kv_heads * d_value).
    """
    group = num_heads // num_kv_heads
    w_key, w_value = (
        w.unflatten(1, (num_kv_heads, group, -1)).mean(2).flatten(1) for w in (w_key, w_value)
    )
    query = split_heads(tokens @ w_query, num_heads)
    key = split_heads(tokens @ w_key, num_kv_heads).repeat_interleave(group, dim=1)
    value = split_heads(tokens @ w_value, num_kv_heads).repeat_interleave(group, dim=1)
    weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
    return merge_heads(weights @ value) @ w_output, w_key, w_value
