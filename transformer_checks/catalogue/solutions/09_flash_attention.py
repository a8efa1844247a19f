# Derived from solutions/09_flash_attention.ipynb by `make exercises`.


import math

import torch
from torch import Tensor


# %% flash.safe_softmax
def safe_softmax(scores: Tensor) -> Tensor:
    """Turn scores (..., queries, keys) into weights; a row of -inf gives zeros."""
    maximum = scores.amax(-1, keepdim=True)
    exponentials = torch.exp(scores - maximum.masked_fill(maximum == -torch.inf, 0.0))
    total = exponentials.sum(-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1.0)


# %% flash.log_sum_exp
def log_sum_exp(scores: Tensor) -> Tensor:
    """Sum up scores (..., queries, keys) in one number for each query: (..., queries)."""
    maximum = scores.amax(-1)
    shift = maximum.masked_fill(maximum == -torch.inf, 0.0)
    return shift + torch.exp(scores - shift[..., None]).sum(-1).log()


# %% flash.online_step
def online_step(
    maximum: Tensor, total: Tensor, weighted: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Let queries see one more tile of keys: the new maximum, total and weighted values."""
    new = torch.maximum(maximum, scores.amax(-1))
    shift = new.masked_fill(new == -torch.inf, 0.0)
    factor = torch.exp(maximum - shift)
    exponentials = torch.exp(scores - shift[..., None])
    total = factor * total + exponentials.sum(-1)
    weighted = factor[..., None] * weighted + exponentials @ value
    return new, total, weighted


# %% flash.merge
def merge(
    maximum_a: Tensor,
    total_a: Tensor,
    weighted_a: Tensor,
    maximum_b: Tensor,
    total_b: Tensor,
    weighted_b: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Merge what is known from two sets of keys: maximum, total and weighted values."""
    maximum = torch.maximum(maximum_a, maximum_b)
    shift = maximum.masked_fill(maximum == -torch.inf, 0.0)
    a, b = torch.exp(maximum_a - shift), torch.exp(maximum_b - shift)
    weighted = a[..., None] * weighted_a + b[..., None] * weighted_b
    return maximum, a * total_a + b * total_b, weighted


# %% flash.visible_tiles
def visible_tiles(queries: int, keys: int, tile_queries: int, tile_keys: int) -> Tensor:
    """Return 0 (skipped), 1 (diagonal) or 2 (whole): (tiles of queries, tiles of keys)."""
    kinds = []
    for top in range(0, queries, tile_queries):
        first = top + keys - queries  # the last key that the first query sees
        last = min(top + tile_queries, queries) - 1 + keys - queries
        row = []
        for left in range(0, keys, tile_keys):
            last_key = min(left + tile_keys, keys) - 1
            row.append(0 if left > last else 2 if last_key <= first else 1)
        kinds.append(row)
    return torch.tensor(kinds)


# %% flash.tiled_forward
def tiled_attention(
    query: Tensor, key: Tensor, value: Tensor, tile_queries: int, tile_keys: int, causal: bool
) -> tuple[Tensor, Tensor]:
    """Attend tile by tile: query (..., queries, d_head), key and value (..., keys, d_head)."""
    queries, keys = query.shape[-2], key.shape[-2]
    output, normalizers = torch.empty_like(query), torch.empty_like(query[..., 0])
    for top in range(0, queries, tile_queries):
        q = query[..., top : top + tile_queries, :] / math.sqrt(query.shape[-1])
        places = torch.arange(top, top + q.shape[-2])[:, None] + keys - queries
        seen = torch.full_like(q[..., 0], -torch.inf), torch.zeros_like(q[..., 0]), 0 * q
        for left in range(0, keys, tile_keys):
            k, v = (x[..., left : left + tile_keys, :] for x in (key, value))
            scores = q @ k.mT
            if causal:
                columns = torch.arange(left, left + k.shape[-2])
                scores = scores.masked_fill(columns > places, -torch.inf)
            seen = online_step(*seen, scores, v)
        maximum, total, weighted = seen
        total = total.masked_fill(total == 0, 1.0)
        output[..., top : top + tile_queries, :] = weighted / total[..., None]
        normalizers[..., top : top + tile_queries] = maximum + total.log()
    return output, normalizers


# %% flash.row_term
def row_term(output: Tensor, d_output: Tensor) -> Tensor:
    """Return the row term D (..., queries)."""
    return (output * d_output).sum(-1)


# %% flash.key_gradients
def key_gradients(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    d_output: Tensor,
    log_sum_exp: Tensor,
    row_term: Tensor,
    seen: Tensor,
) -> tuple[Tensor, Tensor]:
    """Return what these queries contribute to dK and dV of a tile."""
    scale = 1 / math.sqrt(query.shape[-1])
    scores = query @ key.mT * scale
    weights = torch.where(seen, torch.exp(scores - log_sum_exp[:, None]), 0.0)
    d_scores = weights * (d_output @ value.mT - row_term[:, None])
    return d_scores.mT @ query * scale, weights.mT @ d_output


# %% flash.kernel
import importlib.util

if importlib.util.find_spec("triton"):
    import triton
    import triton.language as tl


@triton.jit
def online_softmax(SCORES, WEIGHTS, length, TILE: tl.constexpr):
    """Write the softmax of one row; SCORES and WEIGHTS are (rows, length)."""
    row = tl.program_id(0)
    maximum, total = -float("inf"), 0.0
    for start in range(0, length, TILE):
        columns = start + tl.arange(0, TILE)
        inside = columns < length
        scores = tl.load(SCORES + row * length + columns, mask=inside, other=-float("inf"))
        # Bring maximum and total up to date.
        new = tl.maximum(maximum, tl.max(scores, 0))
        total = total * tl.exp(maximum - new) + tl.sum(tl.exp(scores - new), 0)
        maximum = new
    for start in range(0, length, TILE):
        columns = start + tl.arange(0, TILE)
        inside = columns < length
        scores = tl.load(SCORES + row * length + columns, mask=inside, other=-float("inf"))
        # Compute the weights of this tile.
        weights = tl.exp(scores - maximum) / total
        tl.store(WEIGHTS + row * length + columns, weights, mask=inside)


def online_softmax_rows(scores: Tensor, tile: int) -> Tensor:
    """Run the kernel, one program for each row of scores (rows, length)."""
    weights = torch.empty_like(scores)
    online_softmax[(scores.shape[0],)](scores, weights, scores.shape[1], TILE=tile)
    return weights
