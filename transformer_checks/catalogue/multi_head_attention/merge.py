"""heads.merge: from (batch, heads, tokens, d_head) back to (batch, tokens, d_model)."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal


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


CHECK = Check(
    name="heads.merge",
    lesson="03_multi_head_attention",
    title="Merge heads",
    answer="merge_heads",
    returns=("tokens",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=5,
    minutes=6,
    forbidden=frozenset({"attention"}),
    rtol=1e-6,
    atol=1e-6,  # numbers are moved, not computed
)
