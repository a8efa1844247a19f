"""inside.mean_ablation: heads replaced by what they give on average."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, gapped, normal, tidy


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        draw: Draw,
        lengths: list[int],
        num_heads: int,
        d_head: int,
        off: list[int],
        padding: float = 3.0,
    ) -> Case:
        real = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
        merged = draw(generator, *real.shape, num_heads * d_head)
        return _case(label, torch.where(real[..., None], merged, padding), real, num_heads, off)

    left = torch.tensor([[False, True, True], [True, True, True]])
    far = torch.ones(2, 18).bool()
    far[1, 11:] = False
    sizes = torch.tensor([1.0, 30.0, 0.0, 5e-4]).repeat(5)
    many = normal(generator, 2, 18, 40) * sizes.repeat_interleave(2)
    return [
        case("one text of 2 tokens, 2 heads, head 1 off", tidy, [2], 2, 2, [1]),
        case("2 texts, padding, 2 heads, head 0 off", gapped, [3, 1], 2, 2, [0]),
        case("3 heads of width 1, heads 2 and 0 off", tidy, [2, 3], 3, 1, [2, 0]),
        case("none off", normal, [2, 2], 3, 2, []),
        case("all of 3 off", normal, [4, 2, 3], 3, 4, [0, 1, 2]),
        case("one head, off", normal, [3, 2], 1, 3, [0]),
        case("one token in all, one head of width 1", tidy, [1], 1, 1, [0]),
        case("a million in the padding", normal, [5, 2, 4], 4, 3, [1, 3], padding=1e6),
        _case(
            "one text with padding", normal(generator, 1, 4, 4), torch.arange(4)[None] < 2, 2, [0]
        ),
        case("a text that is all padding", normal, [3, 0, 2], 2, 3, [1]),
        case("18 texts of one or two tokens", normal, [1, 2] * 9, 2, 1, [1]),
        _case("padding on the left", normal(generator, 2, 3, 8), left, 4, [2]),
        _case(
            "18 of 20 heads off, 18 tokens, numbers of many sizes",
            many,
            far,
            20,
            torch.randperm(20, generator=generator)[:18].tolist(),
        ),
    ]


def _case(label: str, merged: Tensor, real: Tensor, num_heads: int, off: list[int]) -> Case:
    return Case(label, {"merged": merged, "real": real, "num_heads": num_heads, "off": off})


CHECK = Check(
    name="inside.mean_ablation",
    lesson="12_inside",
    title="Switch heads off by their mean",
    answer="mean_ablation",
    returns=("merged",),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=4,
    minutes=15,
)
