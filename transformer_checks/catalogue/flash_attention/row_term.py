"""flash.row_term: what the backward pass keeps of each row."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy, uneven_columns


def _rows(output: Tensor, d_output: Tensor) -> dict[str, Tensor]:
    return {"output": output, "d_output": d_output}


def _draw(generator: Generator) -> list[Case]:
    g = generator
    expanded = normal(g, 2, 1, 1).expand(2, 4, 3)
    many = normal(g, 300, 4), normal(g, 300, 4)
    sizes = uneven_columns(g, 18, 17).abs(), normal(g, 18, 17).abs()  # nothing cancels
    sizes[1][:4] *= torch.tensor([[0.0], [0.0], [30.0], [30.0]])
    return [
        Case("2 queries, width 3", _rows(tidy(g, 2, 3), tidy(g, 2, 3))),
        Case("3 queries, width 3", _rows(tidy(g, 3, 3), tidy(g, 3, 3))),
        Case(
            "batch 2, heads 3, 5 queries, width 4",
            _rows(normal(g, 2, 3, 5, 4), normal(g, 2, 3, 5, 4)),
        ),
        Case(
            "batch 2, heads 3, 4 queries, width 5, split by a transpose",
            _rows(*(normal(g, 2, 4, 3, 5).transpose(1, 2) for _ in range(2))),
        ),
        Case(
            "a gradient of equal numbers, as sum().backward() gives",
            _rows(normal(g, 2, 4, 3), expanded),
        ),
        Case("batch 1, one head, width 1", _rows(tidy(g, 1, 1, 1, 1), tidy(g, 1, 1, 1, 1))),
        Case("300 queries", _rows(*many), most_numbers=10_000),
        Case("18 queries, width 17, numbers of many sizes", _rows(*sizes)),
    ]


CHECK = Check(
    name="flash.row_term",
    lesson="09_flash_attention",
    title="The row term",
    answer="row_term",
    returns=("row_term",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=4,
    minutes=6,
)
