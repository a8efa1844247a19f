"""flash.tiled_forward: attention tile by tile, in little memory."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor]


def _reference(
    query: Tensor, key: Tensor, value: Tensor, tile_queries: int, tile_keys: int, causal: bool
) -> Result:
    """One query at a time, so that it holds no table of all pairs either."""
    queries, keys = query.shape[-2], key.shape[-2]
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    log_sum_exp = query.new_full(query.shape[:-1], -torch.inf)
    for row in range(queries):
        seen = max(0, row + 1 + keys - queries) if causal else keys
        if seen:
            scores = key[..., :seen, :] @ query[..., row, :, None] / math.sqrt(query.shape[-1])
            log_sum_exp[..., row] = scores.squeeze(-1).logsumexp(-1)
            output[..., row, :] = (scores.softmax(-2) * value[..., :seen, :]).sum(-2)
    return output, log_sum_exp


def _inputs(
    generator: Generator,
    draw: Draw,
    leading: tuple[int, ...],
    sizes: tuple[int, int, int, int],
    causal: bool = False,
    width: int = 4,
) -> dict[str, Any]:
    queries, keys, tile_queries, tile_keys = sizes
    return {
        "query": draw(generator, *leading, queries, width),
        "key": draw(generator, *leading, keys, width),
        "value": draw(generator, *leading, keys, width),
        "tile_queries": tile_queries,
        "tile_keys": tile_keys,
        "causal": causal,
    }


def _scored(inputs: dict[str, Any], levels: Tensor) -> dict[str, Any]:
    """Shift all scores of key j by about ``levels[j]``, through a column of its own."""
    inputs["query"][..., 0] = math.sqrt(inputs["query"].shape[-1])
    inputs["key"][..., 0] = levels
    return inputs


def _draw(generator: Generator) -> list[Case]:
    g = generator
    rising = _scored(_inputs(g, normal, (), (5, 24, 4, 8)), torch.arange(24.0))
    falling = _scored(_inputs(g, normal, (), (5, 24, 4, 8)), -torch.arange(24.0))
    low = _scored(_inputs(g, normal, (), (5, 21, 4, 8)), torch.full((21,), -200.0))
    high = _scored(_inputs(g, normal, (), (5, 21, 4, 8)), torch.full((21,), 200.0))
    large = (289, 321, 96, 32)
    return [
        Case("2 queries, 4 keys, tiles of 1 by 2", _inputs(g, tidy, (), (2, 4, 1, 2), width=2)),
        Case("causal, 4 queries, 4 keys", _inputs(g, tidy, (), (4, 4, 2, 2), True, width=2)),
        Case("scores that rise from tile to tile", rising),
        Case("scores that fall from tile to tile", falling),
        Case("3 keys in tiles of 2", _inputs(g, tidy, (), (2, 3, 2, 2), width=2)),
        Case("5 queries in tiles of 2", _inputs(g, tidy, (), (5, 4, 2, 2), width=2)),
        Case("scores around -200, a ragged last tile", low),
        Case("scores around 200, a ragged last tile", high),
        Case("causal, 2 queries, 5 keys", _inputs(g, tidy, (), (2, 5, 2, 2), True, width=2)),
        Case("batch 2, heads 3, 7 queries, 9 keys", _inputs(g, normal, (2, 3), (7, 9, 4, 4))),
        Case("77 queries, 97 keys, causal", _inputs(g, normal, (2,), (77, 97, 16, 32), True)),
        Case(
            "193 queries, 257 keys: a matrix of all pairs has 49,601 numbers",
            _inputs(g, normal, (), (193, 257, 32, 64)),
            most_numbers=45_000,
        ),
        Case(
            "289 queries, 321 keys: a matrix of all pairs has 92,769 numbers",
            _inputs(g, normal, (), large),
            most_numbers=28_000,
        ),
        Case(
            "causal, 5 queries, 3 keys: two queries see nothing",
            _inputs(g, tidy, (), (5, 3, 2, 2), True, width=2),
        ),
    ]


def _with(
    *,
    rescale_sum: bool = True,
    rescale_values: bool = True,
    start: float = -math.inf,
    drop: bool = False,
    pad: bool = False,
    first_key: bool = False,
    no_mask: bool = False,
    scale: Callable[[Tensor], float] = lambda query: 1 / math.sqrt(query.shape[-1]),
    divide: bool = True,
    guarded: bool = True,
    plain_log: bool = False,
    rows_of_scores: bool = False,
    safe: bool = True,
) -> Callable[..., Result]:
    def answer(
        query: Tensor, key: Tensor, value: Tensor, tile_queries: int, tile_keys: int, causal: bool
    ) -> Result:
        queries, keys = query.shape[-2], key.shape[-2]
        offset = 0 if first_key else keys - queries
        step = keys if rows_of_scores else tile_keys
        output = query.new_zeros(*query.shape[:-1], value.shape[-1])
        log_sum_exp = query.new_full(query.shape[:-1], -torch.inf)
        for top in range(0, queries, tile_queries):
            q = query[..., top : top + tile_queries, :]
            maximum = q.new_full(q.shape[:-1], start)
            total = torch.zeros_like(maximum)
            weighted = q.new_zeros(*q.shape[:-1], value.shape[-1])
            for left in range(0, keys - keys % step if drop else keys, step):
                k, v = key[..., left : left + step, :], value[..., left : left + step, :]
                if pad and k.shape[-2] < step:
                    missing = (0, 0, 0, step - k.shape[-2])
                    k, v = (torch.nn.functional.pad(x, missing) for x in (k, v))
                s = q @ k.mT * scale(query)
                if causal and not no_mask:
                    row = torch.arange(top, top + q.shape[-2])[:, None] + offset
                    s = s.masked_fill(torch.arange(left, left + k.shape[-2]) > row, -torch.inf)
                new = torch.maximum(maximum, s.amax(-1)) if safe else torch.zeros_like(maximum)
                shift = torch.where(new.isinf(), 0.0, new) if guarded else new
                factor = torch.exp(maximum - shift)
                weights = torch.exp(s - shift[..., None])
                total = (factor if rescale_sum else 1.0) * total + weights.sum(-1)
                weighted = (factor[..., None] if rescale_values else 1.0) * weighted + weights @ v
                maximum = new
            filled = torch.where(total > 0, total, 1.0) if guarded else total
            here = slice(top, top + tile_queries)
            output[..., here, :] = weighted / filled[..., None] if divide else weighted
            shown = total.log() if plain_log else maximum + filled.log()
            log_sum_exp[..., here] = shown
        return output, log_sum_exp

    return answer


def _all_pairs(
    query: Tensor, key: Tensor, value: Tensor, tile_queries: int, tile_keys: int, causal: bool
) -> Result:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    queries, keys = scores.shape[-2:]
    if causal:
        seen = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
        scores = scores.masked_fill(~seen, -torch.inf)
    return scores.softmax(-1).nan_to_num(0.0) @ value, scores.logsumexp(-1)


TILED_FORWARD = Check(
    name="flash.tiled_forward",
    lesson="09_flash_attention",
    title="Attention, tile by tile",
    answer="tiled_attention",
    returns=("output", "log_sum_exp"),
    points=4,
    difficulty=5,
    importance=5,
    minutes=30,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"attention", "NumPy"}),
    # Scores of 200 are exact to 1e-5 in float32.
    atol=2e-4,
    slips=(
        Misconception(
            "weighted values not rescaled",
            _with(rescale_values=False),
            "the weighted values are not rescaled when the maximum grows",
            "What was summed up before refers to an older maximum. Sum and values both.",
        ),
        Misconception(
            "sum not rescaled",
            _with(rescale_sum=False),
            "the sum is not rescaled when the maximum grows",
            "What was summed up before refers to an older maximum. Sum and values both.",
        ),
        Misconception(
            "nothing rescaled",
            _with(rescale_sum=False, rescale_values=False),
            "neither the sum nor the weighted values are rescaled when the maximum grows",
            "Your `online_step` does it: call it for each tile.",
        ),
        Misconception(
            "maximum starts at 0",
            _with(start=0.0),
            "the maximum starts at 0: with very negative scores everything underflows",
            "Before the first key, the maximum is that of no numbers: -inf.",
        ),
        Misconception(
            "no maximum",
            _with(start=0.0, safe=False),
            "no maximum is subtracted: large scores overflow, very negative ones vanish",
            "Keep a running maximum for each query.",
        ),
        Misconception(
            "last tile of keys dropped",
            _with(drop=True),
            "the keys after the last full tile are left out",
            "3 keys in tiles of 2 are two tiles; the second one is shorter.",
        ),
        Misconception(
            "padded keys counted",
            _with(pad=True),
            "the last tile is filled up with keys of zeros, and each of them counts as exp(0)",
            "What is not there has the score -inf.",
        ),
        Misconception(
            "causal ignored",
            _with(no_mask=True),
            "the causal flag has no effect",
            "In tiles on the diagonal, hidden scores become -inf before the maximum is taken.",
        ),
        Misconception(
            "aligned to the first key",
            _with(first_key=True),
            "the causal mask starts at the first key; with fewer queries than keys it must end at "
            "the last",
            "Query i stands at key i + keys - queries.",
        ),
        Misconception(
            "not scaled",
            _with(scale=lambda query: 1.0),
            "the scores are not scaled",
            "Scores are dot products divided by √d_head.",
        ),
        Misconception(
            "divided by the width",
            _with(scale=lambda query: 1 / query.shape[-1]),
            "the scores are divided by the width of the head, not by its root",
            "Scores are dot products divided by √d_head.",
        ),
        Misconception(
            "not divided by the sum",
            _with(divide=False),
            "the weighted values are never divided by the sum",
            "One division for each query, after its last tile.",
        ),
        Misconception(
            "log-sum-exp without the maximum",
            _with(plain_log=True),
            "the log-sum-exp is the logarithm of the sum alone",
            "The sum refers to the maximum: what must be added to its logarithm?",
        ),
        Misconception(
            "-inf minus -inf",
            _with(guarded=False),
            "a query that has seen nothing gets NaN",
            "Where the maximum is still -inf, subtract 0; where the sum is 0, divide by 1.",
        ),
        Misconception(
            "all pairs at once",
            _all_pairs,
            "a matrix of all pairs is made: the values are right, the memory is that of standard "
            "attention",
            "The only scores at any moment should be one tile: tile_queries by tile_keys.",
        ),
        Misconception(
            "whole rows of scores",
            _with(rows_of_scores=True),
            "a tile of queries sees all keys at once: its scores still grow with the text",
            "Cut the keys into tiles too, and let each tile of queries see them one by one.",
        ),
    ),
    hints=(
        "Two loops: over tiles of queries outside, over tiles of keys inside. "
        "`range(0, queries, tile_queries)` gives the first query of each.",
        "Begin each tile of queries with maximum -inf, sum 0, weighted values 0, and let it take "
        "one `online_step` for each tile of keys.",
        "Query i sees key j where j <= i + keys - queries: build that from two `torch.arange` for "
        "the tile, and fill the hidden scores with -inf.",
        "At the end of a tile: output = weighted / sum, log-sum-exp = maximum + log(sum), with 1 "
        "in place of a sum of 0.",
    ),
)
