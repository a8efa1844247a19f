"""flash.attention_tile: a tile of attention in Triton, run by its interpreter."""

import math

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.solutions import Solution
from transformer_checks.catalogue.draws import Draw, gapped, normal, tidy, uneven_columns

Sizes = tuple[int, int, int, int, int, int]  # heads, queries, keys, width, and the two tiles


def _inputs(
    g: Generator,
    draw: Draw,
    sizes: Sizes,
    causal: bool = False,
    levels: Tensor | None = None,
    loud: float = 1.0,
) -> dict[str, Value]:
    """Draw a case; with ``levels`` all scores of key j are shifted by about ``levels[j]``.

    The values of the keys at level 0 are ``loud`` times as large.
    """
    heads, queries, keys, width, tile_queries, tile_keys = sizes
    query = draw(g, heads, queries, width)
    key, value = draw(g, heads, keys, width), draw(g, heads, keys, width)
    if keys == 1:
        value = value + 100  # the output is the value itself, to the last digit
    if levels is not None:
        query[..., 0], key[..., 0] = math.sqrt(width), levels
        value = torch.where(levels[:, None] == 0, loud * value, value)
    return {
        "query": query,
        "key": key,
        "value": value,
        "tile_queries": tile_queries,
        "tile_keys": tile_keys,
        "causal": causal,
    }


def _draw(generator: Generator) -> list[Case]:
    g = generator
    rising, falling = 3 * torch.arange(8.0), -3 * torch.arange(8.0)
    steep = torch.tensor([200.0, 200.0, 0.0, 0.0])
    peaks = torch.tensor([0.0, 200.0, 0.0, 200.0])
    peak = torch.tensor([11.0] + [0.0] * 16)  # beside it little is left of a key, but loud
    fall = _inputs(g, tidy, (1, 2, 17, 4, 2, 8), levels=peak, loud=1e3)
    rise = _inputs(g, tidy, (1, 2, 17, 4, 2, 16), levels=peak.flip(0), loud=1e3)
    low, high = torch.full((7,), -200.0), torch.full((7,), 200.0)
    # Few tiles in each: the interpreter takes milliseconds for one.
    cases: tuple[tuple[str, Sizes, bool, Tensor | None], ...] = (
        ("2 queries, 4 keys, tiles of 2 by 2", (1, 2, 4, 2, 2, 2), False, None),
        ("causal, 4 queries, 4 keys", (1, 4, 4, 2, 4, 2), True, None),
        ("rising scores", (1, 3, 8, 4, 4, 4), False, rising),
        ("falling scores", (1, 3, 8, 4, 4, 4), False, falling),
        ("a fall of 200 between two tiles", (1, 2, 4, 4, 2, 2), False, steep),
        ("scores around -200, a last tile of 3", (1, 4, 7, 4, 4, 4), False, low),
        ("scores around 200, a last tile of 3", (1, 4, 7, 4, 4, 4), False, high),
        ("causal, scores around -200", (1, 4, 4, 4, 4, 2), True, low[:4]),
        ("causal, scores from -20 000 down", (1, 4, 4, 4, 4, 2), True, -20_000 + 100 * falling[:4]),
        ("causal, every second key scores 200", (1, 4, 4, 4, 4, 2), True, peaks),
        ("3 keys in tiles of 2", (1, 2, 3, 2, 2, 2), False, None),
        ("5 queries in tiles of 4", (1, 5, 2, 2, 4, 2), False, None),
        ("causal, 4 queries, 5 keys", (1, 4, 5, 4, 2, 4), True, None),
        ("causal, 5 queries, 3 keys: two queries see nothing", (1, 5, 3, 4, 8, 2), True, None),
        ("3 heads, 5 queries, 7 keys", (3, 5, 7, 8, 8, 8), False, None),
        ("causal, 2 heads, 13 queries, 21 keys", (2, 13, 21, 16, 16, 16), True, None),
        ("one query, one key, tiles of one", (1, 1, 1, 1, 1, 1), False, None),
    )
    return [
        *(
            Case(label, _inputs(g, normal if sizes[0] > 1 else tidy, sizes, causal, levels))
            for label, sizes, causal, levels in cases
        ),
        Case("18 queries, 20 keys, width 32, columns of many sizes", _uneven(g)),
        Case("a fall of 11 between two tiles, before loud values", fall),
        Case("a rise of 11 between two tiles, after loud values", rise),
        Case("the second query, key and value zero", _inputs(g, gapped, (1, 2, 4, 2, 2, 2))),
    ]


def _uneven(g: Generator) -> dict[str, Value]:
    return {
        **_inputs(g, uneven_columns, (1, 18, 20, 32, 16, 16)),
        # Large features meet small ones.
        "key": uneven_columns(g, 1, 20, 32).flip(-1).roll(1, -1),
        "value": uneven_columns(g, 1, 20, 32).abs(),
    }


# The notebook's solution needs Triton, which is for Linux, and whose interpreter is slow.
_TEXT = """
import math

import torch


def attention_by_tiles(query, key, value, tile_queries, tile_keys, causal):
    queries, keys = query.shape[1], key.shape[1]
    rows = torch.arange(queries)[:, None]
    maximum = torch.full_like(query[..., :1], -torch.inf)
    total, weighted = torch.zeros_like(maximum), torch.zeros_like(query)
    for start in range(0, keys, tile_keys):
        k, v = (x[:, start : start + tile_keys] for x in (key, value))
        places = torch.arange(start, start + k.shape[1])
        scores = query @ k.mT / math.sqrt(query.shape[-1])
        if causal:
            scores = scores.masked_fill(places > rows + keys - queries, -torch.inf)
        new = torch.maximum(maximum, scores.amax(-1, keepdim=True))
        shift = new.masked_fill(new == -torch.inf, 0.0)
        factor = torch.exp(maximum - shift)
        exponentials = torch.exp(scores - shift)
        total = factor * total + exponentials.sum(-1, keepdim=True)
        weighted = factor * weighted + exponentials @ v
        maximum = new
    total = total.masked_fill(total == 0, 1.0)
    return weighted / total, (maximum + total.log())[..., 0]
"""

CHECK = Check(
    name="flash.attention_tile",
    lesson="09_flash_attention",
    title="The attention tile",
    answer="attention_by_tiles",
    returns=("output", "log_sum_exp"),
    draw=_draw,
    points=4,
    difficulty=5,
    importance=5,
    minutes=30,
    forbidden=frozenset({"softmax", "attention", "exponential", "NumPy", "numbers", "no kernel"}),
    rtol=5e-5,
    atol=1e-4,  # scores of 200 are exact to 1e-5 in float32
    solution=Solution("flash.attention_tile", "attention_by_tiles", _TEXT),
)
