"""Flash attention in plain PyTorch, tile by tile: the default on a CPU (Dao 2023, algorithms 1, 2).

No tensor is larger than the inputs and one tile of scores. Queries may have more heads than keys
and values: neighboring query heads then share a key head (grouped-query attention).
"""

import torch
from torch import Tensor

from transformer_lesson.flash.softmax import Partial, finish, merge, partial

TILE_QUERIES = 256
TILE_KEYS = 512


def tiled_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    real: Tensor | None = None,
    *,
    causal: bool,
    scale: float,
    tile_queries: int = TILE_QUERIES,
    tile_keys: int = TILE_KEYS,
) -> tuple[Tensor, Tensor]:
    """Attend tile by tile: for each tile of queries, over all tiles of keys that it may see.

    Args:
        query: ``(batch, heads, queries, d_head)``.
        key: ``(batch, key heads, keys, d_head)``; the number of key heads divides that of heads.
        value: ``(batch, key heads, keys, d_head)``.
        real: boolean ``(batch, keys)``, False where a key is padding.
        causal: each query sees the keys up to its own place; the last query is the last key.
        scale: what dot products are multiplied by.
        tile_queries: queries in a tile.
        tile_keys: keys in a tile.

    Returns:
        The output, of the shape and dtype of ``query``, and the log-sum-exp of the scores
        ``(batch, heads, queries)``, float32 (float64 for float64), -inf for an empty row.
    """
    grouped = _grouped(query, key)
    output = torch.empty_like(grouped)
    log_sum_exp = torch.empty(grouped.shape[:-1], dtype=_exact(query), device=query.device)
    for rows in tiles(query.shape[-2], tile_queries):
        q = grouped[..., rows, :].to(_exact(query)) * scale
        seen = nothing(q)
        for columns in tiles(_last_key(rows, query, key, causal), tile_keys):
            k, v = (_shared(t, columns, q, real) for t in (key, value))
            scores = _masked(q @ k.mT, rows, columns, query, key, real, causal)
            seen = merge(seen, partial(scores, v))
        result, log_sum_exp[..., rows] = finish(seen)
        output[..., rows, :] = result.to(output.dtype)
    return output.view_as(query), log_sum_exp.view(query.shape[:-1])


def tiled_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    log_sum_exp: Tensor,
    d_output: Tensor,
    real: Tensor | None = None,
    *,
    causal: bool,
    scale: float,
    tile_queries: int = TILE_QUERIES,
    tile_keys: int = TILE_KEYS,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of query, key and value, computing each tile of weights again.

    With P the weights and dP = dO Vᵀ, the gradient of the scores is P ∘ (dP - D), where the row
    term D is the sum of dO ∘ O over each row (Dao et al. 2022, appendix B.2).
    """
    exact = _exact(query)
    grouped, out, d_out = (_grouped(t, key).to(exact) for t in (query, output, d_output))
    normalizer = log_sum_exp.view(grouped.shape[:-1])
    row_term = (out * d_out).sum(-1)
    d_query = torch.zeros_like(grouped)
    d_key, d_value = torch.zeros_like(key, dtype=exact), torch.zeros_like(value, dtype=exact)
    for rows in tiles(query.shape[-2], tile_queries):
        q, do = grouped[..., rows, :], d_out[..., rows, :]
        for columns in tiles(_last_key(rows, query, key, causal), tile_keys):
            k, v = (_shared(t, columns, q, real) for t in (key, value))
            scores = _masked(scale * q @ k.mT, rows, columns, query, key, real, causal)
            weights = _weights(scores, normalizer[..., rows])
            d_scores = weights * (do @ v.mT - row_term[..., rows, None])
            d_query[..., rows, :] += scale * d_scores @ k
            # The query heads of a group share their key head: their gradients add up.
            d_key[..., columns, :] += (scale * d_scores.mT @ q).sum(2)
            d_value[..., columns, :] += (weights.mT @ do).sum(2)
    return (d_query.view_as(query).to(query.dtype), d_key.to(key.dtype), d_value.to(value.dtype))


def _exact(tensor: Tensor) -> torch.dtype:
    return torch.float64 if tensor.dtype == torch.float64 else torch.float32


def _grouped(query: Tensor, key: Tensor) -> Tensor:
    """``(batch, heads, …)`` to ``(batch, key heads, heads in a group, …)``."""
    group = query.shape[1] // key.shape[1]
    return query.reshape(len(query), key.shape[1], group, *query.shape[2:])


def _shared(tensor: Tensor, columns: slice, like: Tensor, real: Tensor | None) -> Tensor:
    """One tile of keys or values, for all heads of a group: ``(batch, key heads, 1, …)``.

    Padding counts as 0: its weight is 0, but it may hold NaN, and 0 · NaN is not 0.
    """
    tile = tensor[:, :, None, columns].to(like.dtype)
    if real is None:
        return tile
    return tile.masked_fill(~real[:, None, None, columns, None], 0.0)


def tiles(length: int, size: int) -> list[slice]:
    """Cut ``length`` tokens into tiles of ``size``."""
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def _last_key(rows: slice, query: Tensor, key: Tensor, causal: bool) -> int:
    """How many keys the last query of the tile may see; tiles beyond are skipped."""
    queries, keys = query.shape[-2], key.shape[-2]
    return max(0, rows.stop + keys - queries) if causal else keys


def _masked(
    scores: Tensor,
    rows: slice,
    columns: slice,
    query: Tensor,
    key: Tensor,
    real: Tensor | None,
    causal: bool,
) -> Tensor:
    """Set to -inf what may not be seen, in scores ``(batch, key heads, group, rows, columns)``."""
    if real is not None:
        scores = scores.masked_fill(~real[:, None, None, None, columns], -torch.inf)
    offset = key.shape[-2] - query.shape[-2]
    if not causal or columns.stop - 1 <= rows.start + offset:
        return scores  # wholly below the diagonal
    row = torch.arange(rows.start, rows.stop, device=scores.device)[:, None] + offset
    column = torch.arange(columns.start, columns.stop, device=scores.device)
    return scores.masked_fill(column > row, -torch.inf)


def nothing(query: Tensor) -> Partial:
    """What queries ``(..., queries, width)`` know before they have seen any key."""
    total = query.new_zeros(query.shape[:-1])
    return Partial(total - torch.inf, total, torch.zeros_like(query))


def _weights(scores: Tensor, log_sum_exp: Tensor) -> Tensor:
    """The softmax again, from the log-sum-exp; an empty row has none."""
    empty = log_sum_exp == -torch.inf
    return torch.exp(scores - log_sum_exp.masked_fill(empty, 0.0)[..., None])
