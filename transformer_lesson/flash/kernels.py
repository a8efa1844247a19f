"""Flash attention in Triton: one source for a GPU and for Triton's interpreter (Dao 2023).

All tensors are contiguous: query, output and their gradients ``(batch, heads, queries, width)``,
key, value and theirs ``(batch, key heads, keys, width)``, log-sum-exp and row term
``(batch, heads, queries)``; ``REAL (batch, keys)`` says which keys are no padding. One program owns
one tile of one head and shares nothing, so the results repeat bit for bit. Exponentials are powers
of two, as the hardware computes them: ``scale`` includes the factor log2(e).
"""

import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def _tile_pointers(base, rows, columns, WIDTH: tl.constexpr):
    """Addresses of a tile: one row of ``WIDTH`` numbers for each token."""
    return base + rows[:, None] * WIDTH + columns[None, :]


@triton.jit
def _load(base, rows, columns, length, WIDTH: tl.constexpr):
    """Load a tile; what lies beyond the last token or the last column is 0."""
    inside = (rows[:, None] < length) & (columns[None, :] < WIDTH)
    return tl.load(_tile_pointers(base, rows, columns, WIDTH), mask=inside, other=0.0)


@triton.jit
def _store(base, tile, rows, columns, length, WIDTH: tl.constexpr):
    inside = (rows[:, None] < length) & (columns[None, :] < WIDTH)
    tile = tile.to(base.dtype.element_ty)
    tl.store(_tile_pointers(base, rows, columns, WIDTH), tile, mask=inside)


@triton.jit
def _sees(rows, tile_keys, REAL, queries, keys, CAUSAL: tl.constexpr, PADDING: tl.constexpr):
    """Which of ``rows`` may attend to which of ``tile_keys``; the last query is the last key."""
    allowed = tile_keys < keys
    if PADDING:
        allowed = allowed & (tl.load(REAL + tile_keys, mask=tile_keys < keys, other=0) != 0)
    if CAUSAL:
        allowed = allowed & (tile_keys <= rows + keys - queries)
    return allowed


@triton.jit
def _key_range(
    tile, queries, keys,
    CAUSAL: tl.constexpr, TILE_QUERIES: tl.constexpr, TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """Up to where a tile of queries sees whole tiles of keys, and where the keys it sees end."""
    whole, end = keys, keys
    if CAUSAL:
        whole = tl.maximum(0, tl.minimum(keys, tile * TILE_QUERIES + keys - queries + 1))
        end = tl.maximum(0, tl.minimum(keys, (tile + 1) * TILE_QUERIES + keys - queries))
    return whole // TILE_KEYS * TILE_KEYS, end


@triton.jit
def _forward_tile(
    q, K, V, REAL, start, seen_max, seen_sum, acc, rows, columns, queries, keys, scale,
    CAUSAL: tl.constexpr, PADDING: tl.constexpr, MASKED: tl.constexpr, WIDTH: tl.constexpr,
    TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """Let a tile of queries see one more tile of keys."""
    tile_keys = start + tl.arange(0, TILE_KEYS)
    k = _load(K, tile_keys, columns, keys, WIDTH)
    scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    if MASKED:
        allowed = _sees(rows[:, None], tile_keys[None, :], REAL, queries, keys, CAUSAL, PADDING)
        scores = tl.where(allowed, scores, -float("inf"))
    new_max = tl.maximum(seen_max, tl.max(scores, 1))
    # A row without any key yet: -inf minus -inf would be NaN.
    shift = tl.where(new_max == -float("inf"), 0.0, new_max) if MASKED else new_max
    weights = tl.exp2(scores - shift[:, None])
    shrink = tl.exp2(seen_max - shift)
    v = _load(V, tile_keys, columns, keys, WIDTH)
    acc = tl.dot(weights.to(v.dtype), v, acc * shrink[:, None], input_precision="ieee")
    return new_max, seen_sum * shrink + tl.sum(weights, 1), acc


@triton.jit
def forward(
    Q, K, V, REAL, OUT, LSE, queries, keys, scale, HEADS: tl.constexpr,
    GROUP: tl.constexpr, CAUSAL: tl.constexpr, PADDING: tl.constexpr, WIDTH: tl.constexpr,
    PADDED: tl.constexpr, TILE_QUERIES: tl.constexpr, TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """One tile of queries over all the keys it may see; writes its output and log-sum-exp."""
    # Under a causal mask the last tiles have most to do: they go first.
    tile = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)  # (batch, head) as one number; offsets exceed 32 bits
    key_head = head // GROUP
    REAL += head // HEADS * keys
    K += key_head * keys * WIDTH
    V += key_head * keys * WIDTH
    rows, columns = tile * TILE_QUERIES + tl.arange(0, TILE_QUERIES), tl.arange(0, PADDED)
    q = _load(Q + head * queries * WIDTH, rows, columns, queries, WIDTH)
    seen_max = tl.full([TILE_QUERIES], -float("inf"), tl.float32)
    seen_sum = tl.zeros([TILE_QUERIES], tl.float32)
    acc = tl.zeros([TILE_QUERIES, PADDED], tl.float32)
    whole, end = _key_range(tile, queries, keys, CAUSAL, TILE_QUERIES, TILE_KEYS)
    for edge in tl.static_range(2):  # first the tiles that are seen whole, then those at the edge
        for start in range(whole * edge, whole + (end - whole) * edge, TILE_KEYS):
            seen_max, seen_sum, acc = _forward_tile(
                q, K, V, REAL, start, seen_max, seen_sum, acc, rows, columns, queries, keys, scale,
                CAUSAL, PADDING, PADDING or edge == 1, WIDTH, TILE_KEYS,
            )  # fmt: skip
    empty = seen_sum == 0.0
    total = tl.where(empty, 1.0, seen_sum)
    output = acc * (1.0 / total)[:, None]
    _store(OUT + head * queries * WIDTH, output, rows, columns, queries, WIDTH)
    log_sum_exp = tl.where(empty, -float("inf"), (seen_max + tl.log2(total)) / LOG2_E)
    tl.store(LSE + head * queries + rows, log_sum_exp, mask=rows < queries)


@triton.jit
def row_term(
    OUT, D_OUT, D, queries,
    WIDTH: tl.constexpr, PADDED: tl.constexpr, TILE_QUERIES: tl.constexpr,
):  # fmt: skip
    """The sum of dO ∘ O over each row, which the softmax takes off every gradient."""
    head = tl.program_id(1).to(tl.int64)
    rows = tl.program_id(0) * TILE_QUERIES + tl.arange(0, TILE_QUERIES)
    columns = tl.arange(0, PADDED)
    out = _load(OUT + head * queries * WIDTH, rows, columns, queries, WIDTH).to(tl.float32)
    d_out = _load(D_OUT + head * queries * WIDTH, rows, columns, queries, WIDTH).to(tl.float32)
    tl.store(D + head * queries + rows, tl.sum(out * d_out, 1), mask=rows < queries)


@triton.jit
def _key_tile(
    k, v, Q, REAL, D_OUT, LSE, D, start, d_k, d_v, tile_keys, columns, queries, keys, scale,
    CAUSAL: tl.constexpr, PADDING: tl.constexpr, MASKED: tl.constexpr, WIDTH: tl.constexpr,
    TILE_QUERIES: tl.constexpr,
):  # fmt: skip
    """Add to a tile of dK and dV what one tile of queries contributes.

    Scores are computed transposed, (keys, queries): so no result is transposed before a product.
    """
    rows = start + tl.arange(0, TILE_QUERIES)
    q = _load(Q, rows, columns, queries, WIDTH)
    d_out = _load(D_OUT, rows, columns, queries, WIDTH)
    log_sum_exp = tl.load(LSE + rows, mask=rows < queries, other=float("inf"))  # weight 0
    row_terms = tl.load(D + rows, mask=rows < queries, other=0.0)
    scores = tl.dot(k, tl.trans(q), input_precision="ieee") * scale
    exponents = scores - log_sum_exp[None, :] * LOG2_E
    if MASKED:
        allowed = _sees(rows[None, :], tile_keys[:, None], REAL, queries, keys, CAUSAL, PADDING)
        exponents = tl.where(allowed, exponents, -float("inf"))
    weights = tl.exp2(exponents)
    d_v = tl.dot(weights.to(d_out.dtype), d_out, d_v, input_precision="ieee")
    d_weights = tl.dot(v, tl.trans(d_out), input_precision="ieee")
    d_scores = weights * (d_weights - row_terms[None, :])
    d_k = tl.dot(d_scores.to(q.dtype), q, d_k, input_precision="ieee")
    return d_k, d_v


@triton.jit
def backward_keys(
    Q, K, V, REAL, D_OUT, LSE, D, DK, DV, queries, keys, scale, HEADS: tl.constexpr,
    GROUP: tl.constexpr, CAUSAL: tl.constexpr, PADDING: tl.constexpr, WIDTH: tl.constexpr,
    PADDED: tl.constexpr, TILE_QUERIES: tl.constexpr, TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """dK and dV of one tile of keys, over all queries that see it, of all heads that share it."""
    tile, key_head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    REAL += key_head // (HEADS // GROUP) * keys
    tile_keys, columns = tile * TILE_KEYS + tl.arange(0, TILE_KEYS), tl.arange(0, PADDED)
    at = key_head * keys * WIDTH
    k = _load(K + at, tile_keys, columns, keys, WIDTH)
    v = _load(V + at, tile_keys, columns, keys, WIDTH)
    d_k = tl.zeros([TILE_KEYS, PADDED], tl.float32)
    d_v = tl.zeros([TILE_KEYS, PADDED], tl.float32)
    begin, whole = 0, 0  # the first query that sees a key of the tile, the first that sees all
    if CAUSAL:
        begin = tl.maximum(0, tile * TILE_KEYS - (keys - queries)) // TILE_QUERIES * TILE_QUERIES
        whole = tl.maximum(0, (tile + 1) * TILE_KEYS - 1 - (keys - queries))
        whole = tl.minimum(tl.cdiv(whole, TILE_QUERIES) * TILE_QUERIES, queries)
    if (tile + 1) * TILE_KEYS > keys:
        whole = queries  # the last, ragged tile has keys that nobody may see
    for member in range(GROUP):
        head = key_head * GROUP + member
        q, d_o = Q + head * queries * WIDTH, D_OUT + head * queries * WIDTH
        lse, d = LSE + head * queries, D + head * queries
        for edge in tl.static_range(2):
            first, last = (begin, whole) if edge == 0 else (tl.maximum(begin, whole), queries)
            for start in range(first, last, TILE_QUERIES):
                d_k, d_v = _key_tile(
                    k, v, q, REAL, d_o, lse, d, start, d_k, d_v, tile_keys, columns, queries, keys,
                    scale, CAUSAL, PADDING, PADDING or edge == 0, WIDTH, TILE_QUERIES,
                )  # fmt: skip
    _store(DK + at, d_k * (scale / LOG2_E), tile_keys, columns, keys, WIDTH)
    _store(DV + at, d_v, tile_keys, columns, keys, WIDTH)


@triton.jit
def _query_tile(
    q, d_out, K, V, REAL, start, d_q, log_sum_exp, row_terms, rows, columns, queries, keys, scale,
    CAUSAL: tl.constexpr, PADDING: tl.constexpr, MASKED: tl.constexpr, WIDTH: tl.constexpr,
    TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """Add to a tile of dQ what one tile of keys contributes."""
    tile_keys = start + tl.arange(0, TILE_KEYS)
    k = _load(K, tile_keys, columns, keys, WIDTH)
    v = _load(V, tile_keys, columns, keys, WIDTH)
    scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    exponents = scores - log_sum_exp[:, None] * LOG2_E
    if MASKED:
        allowed = _sees(rows[:, None], tile_keys[None, :], REAL, queries, keys, CAUSAL, PADDING)
        exponents = tl.where(allowed, exponents, -float("inf"))
    weights = tl.exp2(exponents)
    d_weights = tl.dot(d_out, tl.trans(v), input_precision="ieee")
    d_scores = weights * (d_weights - row_terms[:, None])
    return tl.dot(d_scores.to(k.dtype), k, d_q, input_precision="ieee")


@triton.jit
def backward_queries(
    Q, K, V, REAL, D_OUT, LSE, D, DQ, queries, keys, scale, HEADS: tl.constexpr,
    GROUP: tl.constexpr, CAUSAL: tl.constexpr, PADDING: tl.constexpr, WIDTH: tl.constexpr,
    PADDED: tl.constexpr, TILE_QUERIES: tl.constexpr, TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """dQ of one tile of queries, over all the keys it may see."""
    tile = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)  # (batch, head) as one number; offsets exceed 32 bits
    key_head = head // GROUP
    REAL += head // HEADS * keys
    K += key_head * keys * WIDTH
    V += key_head * keys * WIDTH
    rows, columns = tile * TILE_QUERIES + tl.arange(0, TILE_QUERIES), tl.arange(0, PADDED)
    at = head * queries * WIDTH
    q = _load(Q + at, rows, columns, queries, WIDTH)
    d_out = _load(D_OUT + at, rows, columns, queries, WIDTH)
    log_sum_exp = tl.load(LSE + head * queries + rows, mask=rows < queries, other=float("inf"))
    row_terms = tl.load(D + head * queries + rows, mask=rows < queries, other=0.0)
    d_q = tl.zeros([TILE_QUERIES, PADDED], tl.float32)
    whole, end = _key_range(tile, queries, keys, CAUSAL, TILE_QUERIES, TILE_KEYS)
    for edge in tl.static_range(2):
        for start in range(whole * edge, whole + (end - whole) * edge, TILE_KEYS):
            d_q = _query_tile(
                q, d_out, K, V, REAL, start, d_q, log_sum_exp, row_terms, rows, columns, queries,
                keys, scale, CAUSAL, PADDING, PADDING or edge == 1, WIDTH, TILE_KEYS,
            )  # fmt: skip
    _store(DQ + at, d_q * (scale / LOG2_E), rows, columns, queries, WIDTH)
