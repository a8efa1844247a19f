"""heads.merge: from (batch, heads, tokens, d_head) back to (batch, tokens, d_model)."""

import torch
from torch import Generator

from transformer_checks.catalogue.draws import normal
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, *shape: int) -> Case:
        return Case(label, {"heads": normal(generator, *shape)})

    # Numbers that say where they stand: 23 is number 3 of token 2.
    numbered = torch.tensor([[[[0.0, 1], [10, 11], [20, 21]], [[2, 3], [12, 13], [22, 23]]]])
    split = normal(generator, 2, 4, 6).unflatten(-1, (3, 2)).transpose(1, 2)
    return [
        Case("1 sentence, 2 heads, 3 tokens, d_head 2", {"heads": numbered}),
        case("2 sentences, 3 heads, 5 tokens, d_head 4", 2, 3, 5, 4),
        case("3 sentences, 5 heads, 4 tokens, d_head 2", 3, 5, 4, 2),
        Case("heads fresh from a split, not contiguous", {"heads": split}),
        case("one head", 2, 1, 3, 4),
        case("d_head 1", 2, 4, 3, 1),
        case("one token", 2, 3, 1, 2),
        case("3 heads, 18 tokens, d_head 17", 2, 3, 18, 17),
        case("two tokens", 2, 3, 2, 2),
        Case("numbers that are equal", {"heads": normal(generator, 1, 2, 3, 4).round()}),
    ]


_MERGE = "transpose(1, 2).reshape(batch, length, num_heads * d_head)"

CHECK = Check(
    name="heads.merge", lesson="03_multi_head_attention", title="Merge heads",
    answer="merge_heads", returns=("tokens",), draw=_draw,
    points=1, difficulty=2, importance=5, minutes=6, forbidden=frozenset({"attention"}),
    rtol=1e-6, atol=1e-6,  # numbers are moved, not computed
    slips=(
        Slip("merged without a transpose", {".transpose(1, 2)": ""},
             "the heads are merged without moving the token axis back: "
             "a row holds numbers of several tokens",
             "Undo the split step by step: which axis moved last?"),
        Slip("view after a transpose", {"reshape": "view"},
             "`view` fails after a transpose: the numbers no longer lie in memory in that order",
             "`reshape` copies where it must; `.contiguous()` before `view` does the same."),
        Slip("heads interleaved", {"transpose(1, 2)": "permute(0, 2, 3, 1)"},
             "the heads alternate number by number instead of standing side by side",
             "Before the reshape the axes must be (batch, tokens, heads, d_head)."),
        Slip("other axes exchanged", {"transpose(1, 2)": "transpose(2, 3)"},
             "tokens and d_head are exchanged instead of heads and tokens",
             "Before the reshape the axes must be (batch, tokens, heads, d_head)."),
        Slip("heads still apart", {".reshape(batch, length, num_heads * d_head)": ""},
             "heads and d_head are still two axes",
             "One more step makes (heads, d_head) a single axis of d_model."),
        Slip("heads end to end", {_MERGE: "flatten(1, 2)"},
             "the heads are put one after the other along the tokens",
             "There are as many tokens as before. It is the rows that become wider."),
        Slip("heads summed", {_MERGE: "sum(1)"}, "the heads are added up",
             "Side by side: a token has num_heads times d_head numbers again."),
    ),
)
