"""flash.row_term: what the backward pass keeps of each row."""

from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.catalogue.ordinary import ordinary


def _rows(output: Tensor, d_output: Tensor) -> dict[str, Tensor]:
    return {"output": output, "d_output": d_output}


def _draw(generator: Generator) -> list[Case]:
    g = generator
    expanded = normal(g, 2, 1, 1).expand(2, 4, 3)
    many = normal(g, 300, 4), normal(g, 300, 4)
    return [
        Case("2 queries, width 3", _rows(tidy(g, 2, 3), tidy(g, 2, 3))),
        Case("3 queries, width 3", _rows(tidy(g, 3, 3), tidy(g, 3, 3))),
        Case(
            "a gradient of equal numbers, as sum().backward() gives",
            _rows(normal(g, 2, 4, 3), expanded),
        ),
        Case("300 queries", _rows(*many), most_numbers=10_000),
        *ordinary(
            g,
            gradients=False,
            turned=True,
            output="... queries +width",
            d_output="... queries -width",
        ),
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
