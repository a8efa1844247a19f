"""heads.split: from (batch, tokens, d_model) to (batch, heads, tokens, d_head)."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import gapped, normal


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


CHECK = Check(
    name="heads.split",
    lesson="03_multi_head_attention",
    title="Split into heads",
    answer="split_heads",
    returns=("heads",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=5,
    minutes=6,
    forbidden=frozenset({"attention"}),
    rtol=1e-6,
    atol=1e-6,  # numbers are moved, not computed
)
