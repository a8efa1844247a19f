"""heads.pytorch_mask: a padding mask in the layout and the convention of nn.MultiheadAttention."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, lengths: list[int], keys: int, num_heads: int, queries: int) -> Case:
        real = torch.arange(keys) < torch.tensor(lengths)[:, None]
        real = real.flip(-1) if "left" in label else real
        return Case(label, {"real": real, "num_heads": num_heads, "queries": queries})

    return [
        case("2 sentences of 3 and 1 tokens, 2 heads, 1 query", [3, 1], 3, 2, 1),
        case("2 sentences, 3 heads, 4 queries", [2, 4], 4, 3, 4),
        case("padding on the left", [1, 3], 4, 3, 4),
        case("one sentence, nothing padded", [3], 3, 2, 3),
        case("a sentence of padding", [0, 2], 3, 2, 3),
        case("nothing but padding", [0, 0], 3, 2, 2),
        *ordinary(
            generator,
            gradients=False,
            real="bool? batch keys",
            num_heads="=heads",
            queries="=queries",
        ),
    ]


CHECK = Check(
    name="heads.pytorch_mask",
    lesson="03_multi_head_attention",
    title="A padding mask for nn.MultiheadAttention",
    answer="mask_for_pytorch",
    returns=("mask",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=3,
    minutes=10,
    forbidden=frozenset({"attention"}),
)
