# Derived from solutions/02_self_attention.ipynb by `make exercises`.


import math

import torch
from torch import Tensor


# %% attention.softmax
def softmax(scores: Tensor) -> Tensor:
    """Turn scores (..., queries, keys) into weights of the same shape; rows sum to 1."""
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


# %% attention.scores
def attention_scores(query: Tensor, key: Tensor) -> Tensor:
    """Score query (..., queries, d_head) against key (..., keys, d_head): (..., queries, keys)."""
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])


# %% attention.attend
def attend(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Attend over keys. value is (..., keys, d_value).

    Returns the output (..., queries, d_value) and the weights (..., queries, keys).
    """
    weights = softmax(attention_scores(query, key))
    return weights @ value, weights


# %% attention.self_attention
def self_attention(tokens: Tensor, w_query: Tensor, w_key: Tensor, w_value: Tensor) -> Tensor:
    """Let tokens (..., tokens, d_model) attend to one another: (..., tokens, d_value)."""
    output, _ = attend(tokens @ w_query, tokens @ w_key, tokens @ w_value)
    return output


# %% attention.causal_mask
def causal_mask(queries: int, keys: int) -> Tensor:
    """Return the boolean causal mask (queries, keys), aligned to the last key."""
    position_of_query = torch.arange(queries).unsqueeze(1) + keys - queries
    return torch.arange(keys) <= position_of_query


# %% attention.padding_mask
def padding_mask(tokens: Tensor, padding_id: int) -> Tensor:
    """Hide the padding of token ids (batch, tokens): boolean (batch, 1, 1, tokens)."""
    return (tokens != padding_id)[:, None, None, :]


# %% attention.masked
def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    """Attend where mask, broadcastable to (..., queries, keys), is True.

    Returns the output (..., queries, d_value) and the weights (..., queries, keys).
    """
    scores = attention_scores(query, key)
    lowest = torch.finfo(scores.dtype).min
    weights = softmax(scores.masked_fill(~mask, lowest)).masked_fill(~mask, 0.0)
    return weights @ value, weights


# %% attention.repaired_heads
def broken_heads(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    batch, length, d_model = tokens.shape
    qkv = (tokens @ w_qkv).view(batch, length, 3, num_heads, d_model // num_heads)
    query, key, value = qkv.unbind(2)
    scores = query @ key.transpose(-2, -1) / math.sqrt(d_model)
    heads = torch.softmax(scores, dim=-1) @ value
    return heads.reshape(batch, length, d_model) @ w_out


def repaired_heads(tokens: Tensor, w_qkv: Tensor, w_out: Tensor, num_heads: int) -> Tensor:
    """Multi-head self-attention of tokens (batch, tokens, d_model), same shape out."""
    batch, length, d_model = tokens.shape
    qkv = (tokens @ w_qkv).view(batch, length, 3, num_heads, d_model // num_heads)
    query, key, value = (part.transpose(1, 2) for part in qkv.unbind(2))
    heads, _ = attend(query, key, value)
    return heads.transpose(1, 2).reshape(batch, length, d_model) @ w_out


# %% attention.which_bug
def which_bug(query: Tensor, key: Tensor, weights: Tensor) -> tuple[int, Tensor]:
    """Return which line of the table made the weights, and the divisor of the products.

    query and key are (tokens, d_head), weights (tokens, tokens): a row for each query.
    """
    def is_one(sums: Tensor) -> bool:
        return torch.allclose(sums, torch.ones_like(sums), atol=1e-3)

    if weights[0, 2] > 0:
        bug = 4
    elif weights[0, 1] > 0:
        bug = 2
    elif is_one(weights.sum(dim=-1)):
        bug = 0
    elif is_one(weights.sum(dim=0)):
        bug = 1
    else:
        bug = 3
    products, logs = query @ key.mT, weights.log()
    if bug == 1:  # two queries of the first key, which all of them see
        products, logs = products[:, 0], logs[:, 0]
    else:  # the keys of the one query that sees them all
        row = 0 if bug == 4 else -1
        products, logs = products[row], logs[row]
    return bug, products.std() / logs.std()
