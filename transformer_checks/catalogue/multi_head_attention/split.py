"""heads.split: from (batch, tokens, d_model) to (batch, heads, tokens, d_head)."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    # Numbers that say where they stand: 23 is number 3 of token 2.
    numbered = torch.tensor([[[0.0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]])
    return [
        Case("1 sentence, 3 tokens, d_model 4, 2 heads", {"tokens": numbered, "num_heads": 2}),
        *ordinary(
            generator, gradients=False, tokens="batch tokens heads*d_head", num_heads="=heads"
        ),
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
