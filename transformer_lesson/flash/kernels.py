"""Flash attention in Triton: one source for a GPU and for Triton's interpreter (Dao 2023).

Query, output and their gradients are ``(batch, heads, queries, width)``; key, value and theirs
``(batch, key heads, keys, width)``. The numbers of a row are neighbors in memory; how far apart
batches, heads and tokens are, the strides of each tensor say. Log-sum-exp and row term are
contiguous ``(batch, heads, queries)``. ``REAL (batch, keys)`` says which keys are no padding, and
``SPANS (batch, 3)`` where that need not be asked.

One program owns one tile of one key head and of the heads that share it, and writes what no other
does, so the results repeat bit for bit. Exponentials are powers of two, as the hardware computes
them: ``scale`` includes the factor log2(e), and so does the log-sum-exp of the backward kernels.
"""

import triton
import triton.language as tl
from triton.runtime.errors import OutOfResources as OutOfResources

from transformer_lesson.flash.blocks import add_weighted, load, row_products, scaled, store, zeros

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def _program(tiles):
    """The tile and the key head, counted over all batches, that this program owns."""
    # One axis for both: the others end at 65,535 programs.
    return tl.program_id(0) % tiles, (tl.program_id(0) // tiles).to(tl.int64)


@triton.jit
def _head(base, strides, head, HEADS: tl.constexpr):
    """Where a head begins that is counted over all batches."""
    return base + head // HEADS * strides[0] + head % HEADS * strides[1]


@triton.jit
def _rows(tokens, strides):
    """How far the rows of tokens lie from the first; may exceed 32 bits."""
    return tokens.to(tl.int64) * strides[2]


@triton.jit
def _from(base, token, strides):
    """Where the row of a token begins. The rows of a tile lie at the same distances from it."""
    return base + (tl.zeros([], tl.int64) + token) * strides[2]


@triton.jit
def _real(tile_keys, REAL, keys, PADDING: tl.constexpr, MASKED: tl.constexpr):
    """Which keys exist and are no padding; in a tile without a mask all are.

    Nothing else of a tile is loaded: what stands in padding may be NaN, and 0 · NaN is not 0.
    """
    if not MASKED:
        return tl.full(tile_keys.shape, True, tl.int1)
    real = tile_keys < keys
    if PADDING:
        real = real & (tl.load(REAL + tile_keys, mask=real, other=0) != 0)
    return real


@triton.jit
def _sees(tokens, tile_keys, real, queries, keys, CAUSAL: tl.constexpr):
    """Which of ``tokens`` may attend to which of ``tile_keys``; the last query is the last key."""
    return real & (tile_keys <= tokens + keys - queries) if CAUSAL else real


@triton.jit
def _real_span(SPANS, batch, keys, PADDING: tl.constexpr):
    """The first real key, the first padding after it, and where real keys end."""
    first, gap, end = 0, keys, keys
    if PADDING:
        SPANS += batch * 3
        first, gap, end = tl.load(SPANS), tl.load(SPANS + 1), tl.load(SPANS + 2)
    return first, gap, end


@triton.jit
def _key_range(
    first_token, last_token, first, gap, end, queries, keys,
    CAUSAL: tl.constexpr, TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """Where the tiles of keys begin and end that some token sees, and those that all see whole."""
    if CAUSAL:
        gap = tl.minimum(gap, first_token + keys - queries + 1)
        end = tl.minimum(end, last_token + keys - queries + 1)
    begin, begin_whole = first // TILE_KEYS * TILE_KEYS, tl.cdiv(first, TILE_KEYS) * TILE_KEYS
    end_whole = tl.maximum(begin_whole, gap // TILE_KEYS * TILE_KEYS)
    return begin, begin_whole, end_whole, end


@triton.jit
def _tiles(begin, begin_whole, end_whole, end, MASKED: tl.constexpr):
    """Where a loop over the tiles with a mask begins and ends, or over those without.

    With a mask are those behind the whole ones, and sometimes one in front: then the loop begins a
    tile earlier, and visits the one in front in its place.
    """
    if MASKED:
        return end_whole - (begin_whole - begin), end
    return begin_whole, end_whole


@triton.jit
def _forward_tile(
    q, K, V, REAL, start, seen_max, seen_sum, acc, tokens, k_strides, v_strides, queries, keys,
    scale, CAUSAL: tl.constexpr, PADDING: tl.constexpr, MASKED: tl.constexpr, WIDTH: tl.constexpr,
    BLOCKS: tl.constexpr, TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """Let a tile of queries see one more tile of keys."""
    places = tl.arange(0, TILE_KEYS)
    tile_keys = start + places
    real = _real(tile_keys, REAL, keys, PADDING, MASKED)
    k = load(_from(K, start, k_strides), _rows(places, k_strides), real, WIDTH, BLOCKS)
    scores = row_products(q, k)
    if MASKED:
        allowed = _sees(tokens[:, None], tile_keys[None, :], real[None, :], queries, keys, CAUSAL)
        scores = tl.where(allowed, scores, -float("inf"))
    new_max = tl.maximum(seen_max, tl.max(scores, 1) * scale)
    # A row without any key yet: -inf minus -inf would be NaN.
    shift = tl.where(new_max == -float("inf"), 0.0, new_max) if MASKED else new_max
    weights = tl.exp2(scores * scale - shift[:, None])  # one fused multiply-add for each score
    shrink = tl.exp2(seen_max - shift)
    v = load(_from(V, start, v_strides), _rows(places, v_strides), real, WIDTH, BLOCKS)
    acc = add_weighted(weights, v, scaled(acc, shrink[:, None]))
    return new_max, seen_sum * shrink + tl.sum(weights, 1), acc


@triton.jit(do_not_specialize=("queries", "keys", "share"))
def forward(
    Q, K, V, OUT, q_strides, k_strides, v_strides, out_strides, REAL, SPANS, LSE, queries, keys,
    share, scale, HEADS: tl.constexpr, GROUP: tl.constexpr, CAUSAL: tl.constexpr,
    PADDING: tl.constexpr, WIDTH: tl.constexpr, BLOCKS: tl.constexpr, TILE_QUERIES: tl.constexpr,
    TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """One tile of queries over a share of the keys; writes its output and log-sum-exp.

    The heads of a group take turns in a tile: the first query of each, the second of each, …
    """
    tiles = tl.cdiv(queries * GROUP, TILE_QUERIES)
    tile, key_head = _program(tiles)
    tile = tiles - 1 - tile  # under a causal mask the last tiles have most to do: they go first
    rows = tile * TILE_QUERIES + tl.arange(0, TILE_QUERIES)
    tokens, members, inside = rows // GROUP, (rows % GROUP).to(tl.int64), rows < queries * GROUP
    batch, head = key_head // (HEADS // GROUP), key_head * GROUP
    q = load(
        _head(Q, q_strides, head, HEADS), _rows(tokens, q_strides) + members * q_strides[1],
        inside, WIDTH, BLOCKS,
    )  # fmt: skip
    K = _head(K, k_strides, key_head, HEADS // GROUP)
    V = _head(V, v_strides, key_head, HEADS // GROUP)
    first, gap, end = _real_span(SPANS, batch, keys, PADDING)
    part = tl.program_id(1)
    first, gap = tl.maximum(first, part * share), tl.minimum(gap, (part + 1) * share)
    begin, begin_whole, end_whole, end = _key_range(
        tile * TILE_QUERIES // GROUP, ((tile + 1) * TILE_QUERIES - 1) // GROUP, first, gap,
        tl.minimum(end, (part + 1) * share), queries, keys, CAUSAL, TILE_KEYS,
    )  # fmt: skip
    seen_max = tl.full([TILE_QUERIES], -float("inf"), tl.float32)
    seen_sum = tl.zeros([TILE_QUERIES], tl.float32)
    acc = zeros(TILE_QUERIES, BLOCKS)
    for masked in tl.static_range(2):  # first the tiles that all see whole, then those at the edges
        start_at, stop = _tiles(begin, begin_whole, end_whole, end, masked == 1)
        for at in range(start_at, stop, TILE_KEYS):
            start = tl.where(at < end_whole, begin, at) if masked == 1 else at
            seen_max, seen_sum, acc = _forward_tile(
                q, K, V, REAL + batch * keys, start, seen_max, seen_sum, acc, tokens,
                k_strides, v_strides, queries, keys, scale, CAUSAL, PADDING, masked == 1, WIDTH,
                BLOCKS, TILE_KEYS,
            )  # fmt: skip
    empty = seen_sum == 0.0
    total = tl.where(empty, 1.0, seen_sum)
    head += part * (tl.num_programs(0) // tiles * GROUP)  # the next part lies behind all heads
    store(
        _head(OUT, out_strides, head, HEADS), scaled(acc, (1.0 / total)[:, None]),
        _rows(tokens, out_strides) + members * out_strides[1], inside, WIDTH, BLOCKS,
    )  # fmt: skip
    log_sum_exp = tl.where(empty, -float("inf"), (seen_max + tl.log2(total)) / LOG2_E)
    tl.store(LSE + (head + members) * queries + tokens, log_sum_exp, mask=inside)


@triton.jit(do_not_specialize=("queries", "parts"))
def merge(
    PARTS, OUT, part_strides, out_strides, PARTS_LSE, LSE, queries, parts,
    HEADS: tl.constexpr, WIDTH: tl.constexpr, BLOCKS: tl.constexpr, TILE_PARTS: tl.constexpr,
):  # fmt: skip
    """Merge what one query has found in each share of the keys (lesson 09, section 7)."""
    token, head = _program(queries)
    heads = tl.num_programs(0) // queries
    columns = tl.arange(0, BLOCKS[0])
    seen_max, seen_sum = -float("inf"), 0.0
    acc = tl.zeros([tl.constexpr(BLOCKS[0])], tl.float32)
    for start in range(0, parts, TILE_PARTS):
        part = start + tl.arange(0, TILE_PARTS)
        part_heads, inside = part * heads + head, part < parts
        rows = part_heads // HEADS * part_strides[0] + part_heads % HEADS * part_strides[1]
        output = load(PARTS + token * part_strides[2], rows, inside, WIDTH, BLOCKS)[0]
        log_sum_exp = tl.load(PARTS_LSE + part_heads * queries + token, inside, -float("inf"))
        new_max = tl.maximum(seen_max, tl.max(log_sum_exp, 0) * LOG2_E)
        shift = tl.where(new_max == -float("inf"), 0.0, new_max)
        weights, shrink = tl.exp2(log_sum_exp * LOG2_E - shift), tl.exp2(seen_max - shift)
        acc = acc * shrink + tl.sum(weights[:, None] * output, 0)
        seen_max, seen_sum = new_max, seen_sum * shrink + tl.sum(weights, 0)
    total = tl.where(seen_sum == 0.0, 1.0, seen_sum)
    out = _head(OUT, out_strides, head, HEADS) + token.to(tl.int64) * out_strides[2]
    tl.store(out + columns, (acc / total).to(OUT.dtype.element_ty), mask=columns < WIDTH)
    tl.store(LSE + head * queries + token, (seen_max + tl.log2(total)) / LOG2_E)


@triton.jit(do_not_specialize=("queries",))
def row_term(
    OUT, D_OUT, out_strides, d_out_strides, D, queries,
    HEADS: tl.constexpr, WIDTH: tl.constexpr, BLOCKS: tl.constexpr, TILE_QUERIES: tl.constexpr,
):  # fmt: skip
    """The sum of dO ∘ O over each row, which the softmax takes off every gradient."""
    tile, head = _program(tl.cdiv(queries, TILE_QUERIES))
    tokens = tile * TILE_QUERIES + tl.arange(0, TILE_QUERIES)
    inside = tokens < queries
    OUT, D_OUT = _head(OUT, out_strides, head, HEADS), _head(D_OUT, d_out_strides, head, HEADS)
    out = load(OUT, _rows(tokens, out_strides), inside, WIDTH, BLOCKS)[0].to(tl.float32)
    d_out = load(D_OUT, _rows(tokens, d_out_strides), inside, WIDTH, BLOCKS)[0].to(tl.float32)
    tl.store(D + head * queries + tokens, tl.sum(out * d_out, 1), mask=inside)


@triton.jit
def _key_tile(
    k, v, Q, real, D_OUT, LSE, D, start, d_k, d_v, tile_keys, q_strides, d_out_strides, queries,
    keys, scale, CAUSAL: tl.constexpr, MASKED: tl.constexpr, WIDTH: tl.constexpr,
    BLOCKS: tl.constexpr, TILE_QUERIES: tl.constexpr,
):  # fmt: skip
    """Add to a tile of dK and dV what one tile of queries contributes.

    Scores are computed transposed, (keys, queries): so no result is transposed before a product.
    """
    places = tl.arange(0, TILE_QUERIES)
    tokens = start + places
    inside = tokens < queries
    d_out = _from(D_OUT, start, d_out_strides)
    d_out = load(d_out, _rows(places, d_out_strides), inside, WIDTH, BLOCKS)
    d_weights = row_products(v, d_out)  # before the scores: so fewer registers are in use
    q = load(_from(Q, start, q_strides), _rows(places, q_strides), inside, WIDTH, BLOCKS)
    log_sum_exp = tl.load(LSE + tokens, mask=inside, other=float("inf"))  # weight 0
    row_terms = tl.load(D + tokens, mask=inside, other=0.0)
    exponents = row_products(k, q) * scale - log_sum_exp[None, :]
    if MASKED:
        allowed = _sees(tokens[None, :], tile_keys[:, None], real[:, None], queries, keys, CAUSAL)
        exponents = tl.where(allowed, exponents, -float("inf"))
    weights = tl.exp2(exponents)
    d_v = add_weighted(weights, d_out, d_v)
    d_scores = weights * (d_weights - row_terms[None, :])
    return add_weighted(d_scores, q, d_k), d_v


@triton.jit
def _query_range(
    tile, first, gap, end, queries, keys,
    CAUSAL: tl.constexpr, TILE_QUERIES: tl.constexpr, TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """From which query on some key of a tile is seen, and from which on the tile is seen whole."""
    begin, whole = 0, 0
    if CAUSAL:
        begin = tl.maximum(0, tile * TILE_KEYS - (keys - queries)) // TILE_QUERIES * TILE_QUERIES
        whole = tl.maximum(0, (tile + 1) * TILE_KEYS - 1 - (keys - queries))
        whole = tl.minimum(tl.cdiv(whole, TILE_QUERIES) * TILE_QUERIES, queries)
    if (tile * TILE_KEYS < first) | ((tile + 1) * TILE_KEYS > gap):
        whole = queries  # some keys are padding, or lie beyond the last: nobody sees them
    if (tile * TILE_KEYS >= end) | ((tile + 1) * TILE_KEYS <= first):
        begin = queries  # and here nobody sees any
    return begin, whole


@triton.jit(do_not_specialize=("queries", "keys"))
def backward_keys(
    Q, K, V, D_OUT, DK, DV, q_strides, k_strides, v_strides, d_out_strides, dk_strides, dv_strides,
    REAL, SPANS, LSE, D, queries, keys, scale, HEADS: tl.constexpr, GROUP: tl.constexpr,
    CAUSAL: tl.constexpr, PADDING: tl.constexpr, WIDTH: tl.constexpr, BLOCKS: tl.constexpr,
    TILE_QUERIES: tl.constexpr, TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """dK and dV of one tile of keys, over all queries that see it, of all heads that share it."""
    tile, key_head = _program(tl.cdiv(keys, TILE_KEYS))
    key_heads: tl.constexpr = HEADS // GROUP
    batch = key_head // key_heads
    tile_keys = tile * TILE_KEYS + tl.arange(0, TILE_KEYS)
    real = _real(tile_keys, REAL + batch * keys, keys, PADDING, True)
    K, V = _head(K, k_strides, key_head, key_heads), _head(V, v_strides, key_head, key_heads)
    k = load(K, _rows(tile_keys, k_strides), real, WIDTH, BLOCKS)
    v = load(V, _rows(tile_keys, v_strides), real, WIDTH, BLOCKS)
    d_k, d_v = zeros(TILE_KEYS, BLOCKS), zeros(TILE_KEYS, BLOCKS)
    first, gap, end = _real_span(SPANS, batch, keys, PADDING)
    begin, whole = _query_range(
        tile, first, gap, end, queries, keys, CAUSAL, TILE_QUERIES, TILE_KEYS
    )
    for member in range(GROUP):
        head = key_head * GROUP + member
        q, d_o = _head(Q, q_strides, head, HEADS), _head(D_OUT, d_out_strides, head, HEADS)
        lse, d = LSE + head * queries, D + head * queries
        for edge in tl.static_range(2):
            start_at, stop = (begin, whole) if edge == 0 else (tl.maximum(begin, whole), queries)
            for start in range(start_at, stop, TILE_QUERIES):
                d_k, d_v = _key_tile(
                    k, v, q, real, d_o, lse, d, start, d_k, d_v, tile_keys, q_strides,
                    d_out_strides, queries, keys, scale, CAUSAL, edge == 0, WIDTH, BLOCKS,
                    TILE_QUERIES,
                )  # fmt: skip
    DK, DV = _head(DK, dk_strides, key_head, key_heads), _head(DV, dv_strides, key_head, key_heads)
    d_k = scaled(d_k, scale / LOG2_E)
    store(DK, d_k, _rows(tile_keys, dk_strides), tile_keys < keys, WIDTH, BLOCKS)
    store(DV, d_v, _rows(tile_keys, dv_strides), tile_keys < keys, WIDTH, BLOCKS)


@triton.jit
def _query_tile(
    q, d_out, K, V, REAL, start, after, d_q, d_weights, log_sum_exp, row_terms, tokens, k_strides,
    v_strides, queries, keys, scale, CAUSAL: tl.constexpr, PADDING: tl.constexpr,
    MASKED: tl.constexpr, AHEAD: tl.constexpr, WIDTH: tl.constexpr, BLOCKS: tl.constexpr,
    TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """Add to a tile of dQ what one tile of keys contributes.

    Ahead, dO · V^T is that of the next tile, and computed beside this one's exponentials (Shah et
    al. 2024, section 3.2). It begins when the last one's registers have been read.
    """
    places = tl.arange(0, TILE_KEYS)
    tile_keys = start + places
    real = _real(tile_keys, REAL, keys, PADDING, MASKED)
    if not AHEAD:  # before the scores: so fewer registers are in use
        v = load(_from(V, start, v_strides), _rows(places, v_strides), real, WIDTH, BLOCKS)
        d_weights = row_products(d_out, v)
    k = load(_from(K, start, k_strides), _rows(places, k_strides), real, WIDTH, BLOCKS)
    scores = row_products(q, k)
    d_scores = d_weights - row_terms[:, None]
    if AHEAD:
        v = load(_from(V, after, v_strides), _rows(places, v_strides), real, WIDTH, BLOCKS)
        d_weights = row_products(d_out, v)
    exponents = scores * scale - log_sum_exp[:, None]
    if MASKED:
        allowed = _sees(tokens[:, None], tile_keys[None, :], real[None, :], queries, keys, CAUSAL)
        exponents = tl.where(allowed, exponents, -float("inf"))
    return add_weighted(tl.exp2(exponents) * d_scores, k, d_q), d_weights


@triton.jit(do_not_specialize=("queries", "keys"))
def backward_queries(
    Q, K, V, D_OUT, DQ, q_strides, k_strides, v_strides, d_out_strides, dq_strides, REAL, SPANS,
    LSE, D, queries, keys, scale, HEADS: tl.constexpr, GROUP: tl.constexpr, CAUSAL: tl.constexpr,
    PADDING: tl.constexpr, AHEAD: tl.constexpr, WIDTH: tl.constexpr, BLOCKS: tl.constexpr,
    TILE_QUERIES: tl.constexpr, TILE_KEYS: tl.constexpr,
):  # fmt: skip
    """dQ of one tile of queries, over all the keys it may see."""
    tiles = tl.cdiv(queries, TILE_QUERIES)
    tile, head = _program(tiles)
    tile = tiles - 1 - tile
    tokens = tile * TILE_QUERIES + tl.arange(0, TILE_QUERIES)
    inside, batch = tokens < queries, head // HEADS
    Q, D_OUT = _head(Q, q_strides, head, HEADS), _head(D_OUT, d_out_strides, head, HEADS)
    q = load(Q, _rows(tokens, q_strides), inside, WIDTH, BLOCKS)
    d_out = load(D_OUT, _rows(tokens, d_out_strides), inside, WIDTH, BLOCKS)
    log_sum_exp = tl.load(LSE + head * queries + tokens, mask=inside, other=float("inf"))
    row_terms = tl.load(D + head * queries + tokens, mask=inside, other=0.0)
    K = _head(K, k_strides, head // GROUP, HEADS // GROUP)
    V = _head(V, v_strides, head // GROUP, HEADS // GROUP)
    first, gap, end = _real_span(SPANS, batch, keys, PADDING)
    begin, begin_whole, end_whole, end = _key_range(
        tile * TILE_QUERIES, (tile + 1) * TILE_QUERIES - 1, first, gap, end, queries, keys, CAUSAL,
        TILE_KEYS,
    )  # fmt: skip
    d_q, d_weights = zeros(TILE_QUERIES, BLOCKS), tl.zeros([TILE_QUERIES, TILE_KEYS], tl.float32)
    if AHEAD:
        tile_keys = begin_whole + tl.arange(0, TILE_KEYS)
        real = _real(tile_keys, REAL + batch * keys, keys, PADDING, True)
        v = load(V, _rows(tile_keys, v_strides), real, WIDTH, BLOCKS)
        d_weights = row_products(d_out, v)
    for masked in tl.static_range(2):
        start_at, stop = _tiles(begin, begin_whole, end_whole, end, masked == 1)
        for at in range(start_at, stop, TILE_KEYS):
            start = tl.where(at < end_whole, begin, at) if masked == 1 else at
            after = tl.minimum(at + TILE_KEYS, stop - TILE_KEYS)  # behind the last tile: itself
            d_q, d_weights = _query_tile(
                q, d_out, K, V, REAL + batch * keys, start, after, d_q, d_weights, log_sum_exp,
                row_terms, tokens, k_strides, v_strides, queries, keys, scale, CAUSAL, PADDING,
                masked == 1, AHEAD and masked == 0, WIDTH, BLOCKS, TILE_KEYS,
            )  # fmt: skip
    DQ = _head(DQ, dq_strides, head, HEADS)
    store(DQ, scaled(d_q, scale / LOG2_E), _rows(tokens, dq_strides), inside, WIDTH, BLOCKS)
