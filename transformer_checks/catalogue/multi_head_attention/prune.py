"""heads.prune: cut heads out of the matrices."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, d_model: int, num_heads: int, d_head: int, kept: list[int]
    ) -> dict[str, Value]:
        return {
            "w_value": draw(generator, d_model, num_heads * d_head),
            "w_output": draw(generator, num_heads * d_head, d_model),
            "num_heads": num_heads,
            "kept": kept,
        }

    return [
        Case("2 heads of width 2, head 1 kept", inputs(tidy, 4, 2, 2, [1])),
        Case("3 heads of width 2, heads 0 and 2 kept", inputs(tidy, 6, 3, 2, [0, 2])),
        Case("4 heads of width 3, heads 0 and 3 kept", inputs(normal, 12, 4, 3, [0, 3])),
        Case("d_model 5, not heads · d_head", inputs(normal, 5, 3, 4, [0, 1])),
        Case("all kept", inputs(normal, 6, 3, 2, [0, 1, 2])),
        Case("heads 2 and 0 kept, in this order", inputs(normal, 6, 3, 2, [2, 0])),
        Case("one of five of width 1 kept", inputs(normal, 10, 5, 1, [3])),
        Case("one head, kept", inputs(normal, 4, 1, 3, [0])),
        Case(
            "18 of 20 kept, in any order, rows of many sizes",
            inputs(uneven, 19, 20, 2, torch.randperm(20, generator=generator)[:18].tolist()),
        ),
    ]


CHECK = Check(
    name="heads.prune",
    lesson="03_multi_head_attention",
    title="Cut heads out of the matrices",
    answer="prune_heads",
    returns=("w_value", "w_output"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=3,
    minutes=10,
    forbidden=frozenset({"attention"}),
    rtol=1e-6,
    atol=1e-6,  # numbers are moved, not computed
)
