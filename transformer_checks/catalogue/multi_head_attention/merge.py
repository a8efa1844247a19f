"""heads.merge: from (batch, heads, tokens, d_head) back to (batch, tokens, d_model)."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    # Numbers that say where they stand: 23 is number 3 of token 2.
    numbered = torch.tensor([[[[0.0, 1], [10, 11], [20, 21]], [[2, 3], [12, 13], [22, 23]]]])
    return [
        Case("1 sentence, 2 heads, 3 tokens, d_head 2", {"heads": numbered}),
        *ordinary(generator, gradients=False, turned=True, heads="batch heads tokens d_head"),
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
