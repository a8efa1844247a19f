"""heads.pytorch_mask: a padding mask in the layout and the convention of nn.MultiheadAttention."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, real: Tensor, num_heads: int, queries: int) -> Case:
        return Case(label, {"real": real, "num_heads": num_heads, "queries": queries})

    def real(*lengths: int, keys: int) -> Tensor:
        return torch.arange(keys) < torch.tensor(lengths)[:, None]

    drawn = torch.randint(1, 8, (4,), generator=generator).tolist()
    between = torch.rand(3, 6, generator=generator) < 0.6
    between[0, 0], between[1, 0] = True, False  # at least two sentences differ
    return [
        case("2 sentences of 3 and 1 tokens, 2 heads, 1 query", real(3, 1, keys=3), 2, 1),
        case("2 sentences, 3 heads, 4 queries", real(2, 4, keys=4), 3, 4),
        case("3 sentences, 2 heads, 2 queries, 5 keys", real(5, 2, 4, keys=5), 2, 2),
        case("padding on the left", real(1, 3, keys=4).flip(-1), 3, 4),
        case("one head", real(1, 3, keys=3), 1, 2),
        case("one sentence, nothing padded", real(3, keys=3), 2, 3),
        case("a sentence of padding", real(0, 2, keys=3), 2, 3),
        case("4 sentences", real(*drawn, keys=7), 3, 7),
        case("padding between tokens", between, 2, 6),
        case("3 sentences, one token or none", real(1, 0, 1, keys=1), 2, 4),
        case("one sentence, padded", real(2, keys=5), 2, 3),
        case("2 keys", real(2, 1, keys=2), 2, 3),
        case("nothing but padding", real(0, 0, keys=3), 2, 2),
        case(
            "18 sentences, 17 heads, 19 queries, 20 keys",
            torch.rand(18, 20, generator=generator) < 0.7,
            17,
            19,
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
