"""heads.split: from (batch, tokens, d_model) to (batch, heads, tokens, d_head)."""

import torch
from torch import Generator

from transformer_checks.catalogue.draws import gapped, normal
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, shape: tuple[int, ...], num_heads: int) -> Case:
        return Case(label, {"tokens": normal(generator, *shape), "num_heads": num_heads})

    # Numbers that say where they stand: 23 is number 3 of token 2.
    numbered = torch.tensor([[[0.0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]])
    return [
        Case("1 sentence, 3 tokens, d_model 4, 2 heads", {"tokens": numbered, "num_heads": 2}),
        case("2 sentences, 5 tokens, d_model 12, 3 heads", (2, 5, 12), 3),
        case("3 sentences, 4 tokens, d_model 10, 5 heads", (3, 4, 10), 5),
        case("one head", (2, 3, 4), 1),
        case("as many heads as numbers", (2, 3, 4), 4),
        case("one token", (2, 1, 6), 3),
        case("18 tokens, d_model 34, 17 heads", (2, 18, 34), 17),
        Case("a token of zeros", {"tokens": gapped(generator, 1, 3, 4), "num_heads": 2}),
        case("two tokens", (2, 2, 6), 3),
    ]


_SPLIT = "view(batch, length, num_heads, d_model // num_heads).transpose(1, 2)"

CHECK = Check(
    name="heads.split", lesson="03_multi_head_attention", title="Split into heads",
    answer="split_heads", returns=("heads",), draw=_draw,
    points=1, difficulty=2, importance=5, minutes=6, forbidden=frozenset({"attention"}),
    rtol=1e-6, atol=1e-6,  # numbers are moved, not computed
    slips=(
        Slip("view alone", {_SPLIT: "view(batch, num_heads, length, d_model // num_heads)"},
             "a reshape alone gives the right shape, but each head gets pieces of other tokens",
             "A reshape never moves numbers. "
             "Cut the last axis first, then move the axis of heads."),
        Slip("not transposed", {".transpose(1, 2)": ""},
             "the axis of heads stands after the tokens: (batch, tokens, heads, d_head)",
             "A matrix product works on the last two axes; those must be tokens and d_head."),
        Slip("heads interleaved",
             {_SPLIT: "view(batch, length, d_model // num_heads, num_heads).permute(0, 3, 1, 2)"},
             "head 0 holds every num_heads-th number of a token instead of the first d_head",
             "The last axis is cut into (num_heads, d_head), in this order."),
        Slip("heads and d_head swapped",
             {"num_heads, d_model // num_heads": "d_model // num_heads, num_heads"},
             "num_heads and d_head are exchanged: there are d_head heads of width num_heads",
             "How many heads are asked for, and what is left for the width of each?"),
        Slip("last axes swapped", {"transpose(1, 2)": "permute(0, 2, 3, 1)"},
             "tokens and d_head are exchanged: (batch, heads, d_head, tokens)",
             "Only the axis of heads has to move. The tokens keep their place before d_head."),
        Slip("heads folded into the batch", {"transpose(1, 2)": "transpose(1, 2).flatten(0, 1)"},
             "batch and heads are one axis", "Keep four axes: (batch, heads, tokens, d_head)."),
        Slip("a copy for each head", {_SPLIT: "unsqueeze(1).repeat(1, num_heads, 1, 1)"},
             "each head has all of d_model", "A head is d_model // num_heads wide."),
    ),
)
