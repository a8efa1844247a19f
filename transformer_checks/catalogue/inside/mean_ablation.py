"""inside.mean_ablation: heads replaced by what they give on average."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, all_but_two, gapped, normal, tidy
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "merged": "batch tokens heads*d_head",
        "real": "bool batch tokens",
        "num_heads": "=heads",
    }

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
        given = inputs_of(generator, axes, draw, *real.shape, num_heads, d_head) | {"real": real}
        given["merged"][~real] = padding
        return Case(label, given | {"off": off})

    def some_off(drawn: Mapping[str, Any]) -> dict[str, Value]:
        return {"off": all_but_two(generator, drawn["num_heads"])}

    return [
        case("one text of 2 tokens, 2 heads, head 1 off", tidy, [2], 2, 2, [1]),
        case("2 texts, padding, 2 heads, head 0 off", gapped, [3, 1], 2, 2, [0]),
        case("3 heads of width 1, heads 2 and 0 off", tidy, [2, 3], 3, 1, [2, 0]),
        case("none off", normal, [2, 2], 3, 2, []),
        case("all of 3 off", normal, [4, 2, 3], 3, 4, [0, 1, 2]),
        case("a million in the padding", normal, [5, 2, 4], 4, 3, [1, 3], padding=1e6),
        case("a text that is all padding", normal, [3, 0, 2], 2, 3, [1]),
        *ordinary(generator, axes=axes, given=some_off, gradients=False),
    ]


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
