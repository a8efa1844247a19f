"""Other kernels for a tile of attention; ``attention_tile.py`` reads them where Triton is."""

# mypy: ignore-errors
# Triton reads these functions as source; types mean something else there.

from transformer_lesson.flash.interpret import use_interpreter

use_interpreter()  # before Triton is imported

import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def all_keys_at_once(
    Q, K, V, OUT, LSE, queries, keys, scale, CAUSAL: tl.constexpr, WIDTH: tl.constexpr,
    TILE_QUERIES: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One tile that holds all keys: nothing needs to be rescaled."""
    head = tl.program_id(1)
    row = tl.program_id(0) * TILE_QUERIES + tl.arange(0, TILE_QUERIES)
    column, lanes = tl.arange(0, BLOCK), tl.arange(0, WIDTH)
    at = (head * queries + row[:, None]) * WIDTH + lanes[None, :]
    # The keys are loaded transposed.
    k_at = (head * keys + column[None, :]) * WIDTH + lanes[:, None]
    v_at = (head * keys + column[:, None]) * WIDTH + lanes[None, :]
    q = tl.load(Q + at, mask=(row < queries)[:, None], other=0.0)
    k = tl.load(K + k_at, mask=(column < keys)[None, :], other=0.0)
    v = tl.load(V + v_at, mask=(column < keys)[:, None], other=0.0)
    last = keys - 1
    if CAUSAL:
        last = row[:, None] + last - (queries - 1)
    seen = (column[None, :] < keys) & (column[None, :] <= last)
    scores = tl.where(seen, tl.dot(q, k) * scale, -float("inf"))
    maximum = tl.max(scores, 1)
    maximum = tl.where(maximum > -float("inf"), maximum, 0.0)
    weights = tl.where(seen, tl.exp(scores - maximum[:, None]), 0.0)
    total = tl.sum(weights, 1)
    output = tl.dot(weights / tl.where(total > 0, total, 1.0)[:, None], v)
    tl.store(OUT + at, output, mask=(row < queries)[:, None])
    tl.store(LSE + head * queries + row, maximum + tl.log(total), mask=row < queries)


@triton.jit
def query_by_query(
    Q, K, V, OUT, LSE, queries, keys, scale, CAUSAL: tl.constexpr, WIDTH: tl.constexpr,
    TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """One query for each program: sums of products instead of `tl.dot`, and only keys it sees."""
    row, head, lanes = tl.program_id(0), tl.program_id(1), tl.arange(0, WIDTH)
    at = (head * queries + row) * WIDTH + lanes
    q = tl.load(Q + at) * scale
    end = keys
    if CAUSAL:
        end = row + keys - queries + 1
    maximum, total = -float("inf"), 0.0
    acc = tl.zeros((WIDTH,), tl.float32)
    for start in range(0, end, TILE_KEYS):
        column = start + tl.arange(0, TILE_KEYS)
        k_at = (head * keys + column[:, None]) * WIDTH + lanes[None, :]
        k = tl.load(K + k_at, mask=column[:, None] < end, other=0.0)
        v = tl.load(V + k_at, mask=column[:, None] < end, other=0.0)
        scores = tl.where(column < end, tl.sum(k * q[None, :], 1), -float("inf"))
        new = tl.maximum(maximum, tl.max(scores, 0))
        weights = tl.exp(scores - new)
        shrink = tl.exp(maximum - new)
        total = total * shrink + tl.sum(weights, 0)
        acc = acc * shrink + tl.sum(weights[:, None] * v, 0)
        maximum = new
    tl.store(OUT + at, tl.where(total > 0, acc / total, acc))
    tl.store(LSE + head * queries + row, maximum + tl.where(total > 0, tl.log(total), 0.0))


@triton.jit
def keys_by_queries(
    Q, K, V, OUT, LSE, heads, queries, keys, scale, CAUSAL: tl.constexpr, WIDTH: tl.constexpr,
    TILE_QUERIES: tl.constexpr, TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """Transposed scores, one axis of programs, and a loop over the keys for the maximum first."""
    head, tile = tl.program_id(0) % heads, tl.program_id(0) // heads
    row, lanes = tile * TILE_QUERIES + tl.arange(0, TILE_QUERIES), tl.arange(0, WIDTH)
    q_at = (head * queries + row[None, :]) * WIDTH + lanes[:, None]
    q = tl.load(Q + q_at, mask=row[None, :] < queries, other=0.0)  # (WIDTH, TILE_QUERIES)
    maximum = tl.full((TILE_QUERIES,), -1e30, tl.float32)
    for start in range(0, keys, TILE_KEYS):
        column = (start + tl.arange(0, TILE_KEYS))[:, None]
        k_at = (head * keys + column) * WIDTH + lanes[None, :]
        k = tl.load(K + k_at, mask=column < keys, other=0.0)
        hidden = column > tl.where(CAUSAL, row[None, :] + keys - queries, keys - 1)
        scores = tl.where(hidden | (column >= keys), -1e30, tl.dot(k, q) * scale)
        maximum = tl.maximum(maximum, tl.max(scores, 0))
    total = tl.zeros((TILE_QUERIES,), tl.float32)
    acc = tl.zeros((WIDTH, TILE_QUERIES), tl.float32)
    for start in range(0, keys, TILE_KEYS):
        column = (start + tl.arange(0, TILE_KEYS))[:, None]
        k_at = (head * keys + column) * WIDTH + lanes[None, :]
        k = tl.load(K + k_at, mask=column < keys, other=0.0)
        v = tl.load(V + k_at, mask=column < keys, other=0.0)
        hidden = column > tl.where(CAUSAL, row[None, :] + keys - queries, keys - 1)
        scores = tl.dot(k, q) * scale - maximum[None, :]
        weights = tl.where(hidden | (column >= keys), 0.0, tl.exp(scores))
        total += tl.sum(weights, 0)
        acc += tl.dot(tl.trans(v), weights)
    output = acc / tl.maximum(total, 1e-30)[None, :]
    lse = tl.where(total > 0, maximum + tl.log(total), -float("inf"))
    tl.store(OUT + q_at, output, mask=row[None, :] < queries)
    tl.store(LSE + head * queries + row, lse, mask=row < queries)
