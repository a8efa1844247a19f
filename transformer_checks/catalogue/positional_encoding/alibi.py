"""positions.alibi: a penalty for distance, with a slope for each head."""

import torch
from torch import Generator

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def anywhere(tokens: int) -> list[int]:
        return torch.randperm(60, generator=generator)[:tokens].tolist()

    queries, keys = torch.randint(0, 40, (2, 5), generator=generator).tolist()
    sizes = [
        ("2 heads, 3 tokens", 2, [0, 1, 2], [0, 1, 2]), ("8 heads, 2 tokens", 8, [0, 1], [0, 1]),
        ("4 heads, one query after 3 cached keys", 4, [3], [0, 1, 2, 3]),
        ("1 head", 1, [0, 1], [0, 1, 2]), ("3 heads, no power of two", 3, [0, 1], [0, 1, 2]),
        ("6 heads, no power of two", 6, [4, 5], [3, 4, 5]),
        ("15 heads, any positions", 15, queries, keys[:4]), ("5 heads, one key", 5, [0, 3, 4], [2]),
        ("7 heads, positions that stand there twice", 7, [4, 4], [2, 2, 4]),
        ("40 heads, positions far apart, some before 0", 40, [5000, -3], [5001, 3, -1]),
        ("16 heads, exponents that are no whole numbers", 16, [0], [0, 1]),
        ("20 heads, 18 queries, 19 keys", 20, anywhere(18), anywhere(19)),
    ]
    return [
        Case(
            label,
            {"num_heads": heads, "query_positions": torch.tensor(queries),
             "key_positions": torch.tensor(keys)},
        )
        for label, heads, queries, keys in sizes
    ]


_SLOPES = "slopes + between[: num_heads - power]"
_BIAS = "-slopes[:, None, None] * distance"

CHECK = Check(
    name="positions.alibi", lesson="04_positional_encoding", title="ALiBi for any number of heads",
    answer="alibi_bias", returns=("bias",), draw=_draw,
    points=2, difficulty=3, importance=3, minutes=15,
    slips=(
        Slip("plus", {"return -": "return "},
             "the sign is missing: the farther a key, the higher its score",
             "ALiBi is a penalty. Every number in the bias is 0 or negative."),
        Slip("slopes from 1",
             {"(1, power + 1)": "(power)", "(1, 2 * power, 2)": "(0, 2 * power, 2)"},
             "the first slope is 2 ** 0 = 1: heads are counted from 0",
             "Heads are counted from 1, so that the last of H has 2 ** -8."),
        Slip("halved from head to head",
             {_SLOPES: "[2.0**-head for head in range(1, num_heads + 1)]"},
             "each slope is half the one before, which is right for 8 heads alone",
             "The last of H heads has the slope 2 ** -8, whatever H is."),
        Slip("the formula for any number", {"2 ** int(math.log2(num_heads))": "num_heads"},
             "the formula is used where the number of heads is no power of two",
             "For 3 heads: those of 2 heads first, then from those of 4 heads the first."),
        Slip("sorted", {_SLOPES: f"sorted({_SLOPES}, reverse=True)"},
             "the slopes were sorted: heads with extra slopes stand elsewhere",
             "The extra slopes come after those of the smaller power."),
        Slip("signed distance", {".abs()": "", "return -": "return "},
             "the distance has a sign: keys ahead of the query are rewarded",
             "Near is near, before or after. Take the absolute value."),
        Slip("only behind", {".abs()": ".clamp(max=0)", "return -": "return "},
             "keys ahead of the query cost nothing: only those behind it do",
             "The paper's decoder never looks ahead. Here the price is the same on both sides."),
        Slip("positions counted, not read", {
                 "key_positions - query_positions":
                     "torch.arange(len(key_positions)) - torch.arange(len(query_positions))",
             },
             "positions are counted from 0 instead of taken from the arguments",
             "With a cache there is one query, at position 3, and keys 0 to 3."),
        Slip("heads last", {_BIAS: "-slopes * distance[:, :, None]"},
             "the heads come last: the bias will not line up with (batch, heads, queries, keys)",
             "Give the slopes two axes of size 1: `slopes[:, None, None]`."),
        Slip("the logarithm of the distance", {".abs()": ".abs().add(1).log()"},
             "the penalty grows with the logarithm of the distance",
             "Twice as far costs twice as much."),
    ),
)
