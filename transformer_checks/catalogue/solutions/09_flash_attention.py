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


# %% flash.traffic
def least_traffic(queries: int, keys: int, width: int, capacity: int) -> tuple[list[int], int]:
    """Return what the two orders move, each with its best tile, and which of them moves less."""
    def held(a: int, b: int) -> int:
        """Count the numbers in the fast memory at a tile of a queries and b keys."""
        return 2 * (a + b) * width + 2 * a + a * b

    # What is moved depends on the side that stays; one of the other is enough.
    tall = max(a for a in range(1, queries + 1) if held(a, 1) <= capacity)
    long = max(b for b in range(1, keys + 1) if held(1, b) <= capacity)
    moved = [
        2 * queries * width + math.ceil(queries / tall) * 2 * keys * width,
        2 * keys * width + math.ceil(keys / long) * queries * (3 * width + 4),
    ]
    return moved, moved.index(min(moved))


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


# %% flash.attention_tile
@triton.jit
def attention_tile(
    QUERY, KEY, VALUE, OUT, NORMALIZER, queries, keys, scale, CAUSAL: tl.constexpr,
    WIDTH: tl.constexpr, TILE_QUERIES: tl.constexpr, TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """Attend with one tile of queries of one head; QUERY is (heads, queries, WIDTH)."""
    head = tl.program_id(1)
    rows = tl.program_id(0) * TILE_QUERIES + tl.arange(0, TILE_QUERIES)
    columns = tl.arange(0, WIDTH)[None, :]
    own = (head * queries + rows[:, None]) * WIDTH + columns
    q = tl.load(QUERY + own, mask=rows[:, None] < queries, other=0.0)
    maximum = tl.full((TILE_QUERIES,), -float("inf"), tl.float32)
    total = tl.zeros((TILE_QUERIES,), tl.float32)
    weighted = tl.zeros((TILE_QUERIES, WIDTH), tl.float32)
    for start in range(0, keys, TILE_KEYS):
        places = start + tl.arange(0, TILE_KEYS)
        visited = (head * keys + places[:, None]) * WIDTH + columns
        k = tl.load(KEY + visited, mask=places[:, None] < keys, other=0.0)
        v = tl.load(VALUE + visited, mask=places[:, None] < keys, other=0.0)
        # Bring maximum, total and weighted up to date.
        scores = tl.dot(q, tl.trans(k)) * scale
        seen = places[None, :] < keys
        if CAUSAL:
            seen = seen & (places[None, :] <= rows[:, None] + keys - queries)
        scores = tl.where(seen, scores, -float("inf"))
        new = tl.maximum(maximum, tl.max(scores, 1))
        shift = tl.where(new == -float("inf"), 0.0, new)
        factor = tl.exp(maximum - shift)
        exponentials = tl.exp(scores - shift[:, None])
        total = factor * total + tl.sum(exponentials, 1)
        weighted = factor[:, None] * weighted + tl.dot(exponentials, v)
        maximum = new
    # Compute output and normalizer.
    total = tl.where(total == 0, 1.0, total)
    output = weighted / total[:, None]
    normalizer = maximum + tl.log(total)
    tl.store(OUT + own, output, mask=rows[:, None] < queries)
    tl.store(NORMALIZER + head * queries + rows, normalizer, mask=rows < queries)


def attention_by_tiles(
    query: Tensor, key: Tensor, value: Tensor, tile_queries: int, tile_keys: int, causal: bool
) -> tuple[Tensor, Tensor]:
    """Run the kernel, one program for each tile of queries; query is (heads, queries, width)."""
    heads, queries, width = query.shape
    output, normalizers = torch.empty_like(query), torch.empty_like(query[..., 0])
    attention_tile[(triton.cdiv(queries, tile_queries), heads)](
        query, key, value, output, normalizers, queries, key.shape[1], 1 / math.sqrt(width),
        causal, width, tile_queries, tile_keys,
    )  # fmt: skip
    return output, normalizers
