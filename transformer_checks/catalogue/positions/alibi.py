"""positions.alibi: a penalty for distance, with a slope for each head."""

import math
from collections.abc import Callable

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _powers(heads: int, first: int = 1) -> list[float]:
    """``2 ** (-8h / heads)`` for ``heads`` heads, counted from ``first``."""
    return [2 ** (-8 * (h + first) / heads) for h in range(heads)]


def _slopes(num_heads: int, first: int = 1) -> list[float]:
    power = 1
    while 2 * power <= num_heads:
        power *= 2
    return _powers(power, first) + _powers(2 * power, first)[::2][: num_heads - power]


def _from_zero(num_heads: int) -> list[float]:
    return _slopes(num_heads, first=0)


def _bias(slopes: list[float], queries: Tensor, keys: Tensor) -> Tensor:
    distance = (keys - queries[:, None]).abs()
    return -torch.tensor(slopes, dtype=torch.float64)[:, None, None] * distance


def _reference(num_heads: int, query_positions: Tensor, key_positions: Tensor) -> Tensor:
    return _bias(_slopes(num_heads), query_positions, key_positions)


def _draw(generator: Generator) -> list[Case]:
    queries, keys = torch.randint(0, 40, (2, 5), generator=generator).tolist()
    sizes = [
        ("2 heads, 3 tokens", 2, [0, 1, 2], [0, 1, 2]),
        ("8 heads, 2 tokens", 8, [0, 1], [0, 1]),
        ("4 heads, one query after 3 cached keys", 4, [3], [0, 1, 2, 3]),
        ("1 head", 1, [0, 1], [0, 1, 2]),
        ("3 heads, no power of two", 3, [0, 1], [0, 1, 2]),
        ("6 heads, no power of two", 6, [4, 5], [3, 4, 5]),
        ("15 heads, any positions", 15, queries, keys[:4]),
    ]
    return [
        Case(
            label,
            {
                "num_heads": heads,
                "query_positions": torch.tensor(queries),
                "key_positions": torch.tensor(keys),
            },
        )
        for label, heads, queries, keys in sizes
    ]


def _with(slopes: Callable[[int], list[float]]) -> Callable[[int, Tensor, Tensor], Tensor]:
    return lambda heads, queries, keys: _bias(slopes(heads), queries, keys)


def _signed(num_heads: int, queries: Tensor, keys: Tensor) -> Tensor:
    slopes = torch.tensor(_slopes(num_heads), dtype=torch.float64)
    return slopes[:, None, None] * (keys - queries[:, None])


def _only_behind(num_heads: int, queries: Tensor, keys: Tensor) -> Tensor:
    slopes = torch.tensor(_slopes(num_heads), dtype=torch.float64)
    return slopes[:, None, None] * (keys - queries[:, None]).clamp(max=0)


def _causal(num_heads: int, queries: Tensor, keys: Tensor) -> Tensor:
    ahead = keys > queries[:, None]
    return _reference(num_heads, queries, keys).masked_fill(ahead, -torch.inf)


def _next_larger(num_heads: int) -> list[float]:
    return _powers(2 ** math.ceil(math.log2(num_heads)))[:num_heads]


def _extra_in_a_row(num_heads: int) -> list[float]:
    power = 2 ** math.floor(math.log2(num_heads))
    return _powers(power) + _powers(2 * power)[: num_heads - power]


def _sorted(num_heads: int) -> list[float]:
    return sorted(_slopes(num_heads), reverse=True)


def _even_steps(num_heads: int) -> list[float]:
    return [0.5 * (num_heads - h) / num_heads for h in range(num_heads)]


ALIBI = Check(
    name="positions.alibi",
    lesson="04_positional_encoding",
    title="ALiBi for any number of heads",
    answer="alibi_bias",
    returns=("bias",),
    points=2,
    difficulty=3,
    importance=3,
    minutes=15,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "plus",
            lambda heads, queries, keys: -_reference(heads, queries, keys),
            "the sign is missing: the farther a key, the higher its score",
            "ALiBi is a penalty. Every number in the bias is 0 or negative.",
        ),
        Misconception(
            "slopes from 1",
            _with(_from_zero),
            "the first slope is 2 ** 0 = 1: heads are counted from 0",
            "Heads are counted from 1, so that the last of H has 2 ** -8.",
        ),
        Misconception(
            "halved from head to head",
            _with(lambda heads: [2.0 ** -(h + 1) for h in range(heads)]),
            "each slope is half the one before, which is right for 8 heads alone",
            "The last of H heads has the slope 2 ** -8, whatever H is.",
        ),
        Misconception(
            "the formula for any number",
            _with(_powers),
            "the formula is used where the number of heads is no power of two",
            "For 3 heads: those of 2 heads first, then from those of 4 heads the first.",
        ),
        Misconception(
            "next larger power",
            _with(_next_larger),
            "the slopes of the next larger power of two are cut off",
            "The slopes of the next *smaller* power come first; the larger one fills up.",
        ),
        Misconception(
            "extra slopes in a row",
            _with(_extra_in_a_row),
            "the extra slopes are the first ones of the larger power; every other is meant",
            "Of the larger power take slopes 1, 3, 5, …: those that the smaller one lacks.",
        ),
        Misconception(
            "sorted",
            _with(_sorted),
            "the slopes were sorted: heads with extra slopes stand elsewhere",
            "The extra slopes come after those of the smaller power.",
        ),
        Misconception(
            "even steps",
            _with(_even_steps),
            "the slopes fall in even steps; they should fall by a constant factor",
            "The slope of head h of H is 2 ** (-8h / H).",
        ),
        Misconception(
            "signed distance",
            _signed,
            "the distance has a sign: keys ahead of the query are rewarded",
            "Near is near, before or after. Take the absolute value.",
        ),
        Misconception(
            "only behind",
            _only_behind,
            "keys ahead of the query cost nothing: only those behind it do",
            "The paper's decoder never looks ahead. Here the price is the same on both sides.",
        ),
        Misconception(
            "masked as well",
            _causal,
            "keys ahead of the query are masked",
            "A causal mask is a thing of its own. An encoder needs the penalty on both sides.",
        ),
        Misconception(
            "positions counted, not read",
            lambda heads, queries, keys: _reference(
                heads, torch.arange(len(queries)), torch.arange(len(keys))
            ),
            "positions are counted from 0 instead of taken from the arguments",
            "With a cache there is one query, at position 3, and keys 0 to 3.",
        ),
        Misconception(
            "heads last",
            lambda heads, queries, keys: _reference(heads, queries, keys).permute(1, 2, 0),
            "the heads come last: the bias will not line up with (batch, heads, queries, keys)",
            "Give the slopes two axes of size 1: `slopes[:, None, None]`.",
        ),
        Misconception(
            "slopes reversed",
            _with(lambda heads: _slopes(heads)[::-1]),
            "the slopes come in the reverse order",
            "The first head has the steepest slope.",
        ),
    ),
    hints=(
        "Three steps: the slopes (heads,), the distances (queries, keys), and their product.",
        "For 2 heads the slopes are 2 ** -4 and 2 ** -8. For 3 heads a third one follows: the "
        "first of 4 heads, 2 ** -2.",
        "With `power` the largest power of two up to num_heads: all slopes of `power`, then "
        "`slopes_of(2 * power)[::2]`, as many as are missing.",
    ),
)
