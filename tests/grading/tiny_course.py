"""A course of four tiny exercises, and notebooks that answer them."""

from collections.abc import Callable, Sequence
from pathlib import Path

import nbformat
import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check, Slip
from notebook_judge.checks.solutions import Solution
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.results import ExerciseResult

LESSON = "99_tiny"
RIGHT = {
    "double": "def double(x):\n    return 2 * x",
    "total": "def total(x):\n    return x.sum(-1)",
    "weights": "def weights(x):\n    e = (x - x.amax(-1, keepdim=True)).exp()\n"
    "    return e / e.sum(-1, keepdim=True)",
    "ends": "def ends(x):\n    return x.amin(-1), x.amax(-1)",
}
IMPORTS = "import os, sys, time\nimport torch"
CALM = Limits()  # for notebooks that end by themselves, however busy the machine is
QUICK = Limits(cell=3.0, exercise=1.5, far=2.0, grace=0.5)  # for those that must be stopped
TIGHT = Limits(memory=300 * 2**20, written=8 * 2**20, file=2**20, files=64, processes=16, cpu=300)


def _draw(generator: Generator) -> list[Case]:
    return [
        Case("two rows", {"x": torch.randn(2, 3, generator=generator)}),
        Case("a transposed view", {"x": torch.randn(2, 5, 4, generator=generator).mT}),
        Case("gradients", {"x": torch.randn(3, 4, generator=generator)}, gradients=True),
    ]


def _tiny(answer: str, points: int, returns: tuple[str, ...]) -> Check:
    text = RIGHT[answer].replace("(x):\n", "(x):\n    x = 1 * x\n")
    return Check(
        name=f"tiny.{answer}",
        lesson=LESSON,
        title=f"Exercise {answer}",
        answer=answer,
        returns=returns,
        points=points,
        difficulty=1,
        importance=1,
        minutes=1,
        draw=_draw,
        slips=(Slip("squared", {"1 * x": "x * x"}, "it is squared", "Read it again."),),
        hints=("One.", "Two."),
        forbidden=frozenset({"softmax"}),
        solution=Solution(f"tiny.{answer}", answer, text),
    )


TINY = (
    _tiny("double", 1, ("twice",)),
    _tiny("total", 2, ("total",)),
    _tiny("weights", 3, ("weights",)),
    _tiny("ends", 4, ("low", "high")),
)


def save(path: Path, cells: Sequence[str]) -> Path:
    """Write a notebook with these code cells: the same bytes each time."""
    numbered = [nbformat.v4.new_code_cell(c, id=f"cell-{n}") for n, c in enumerate(cells)]
    notebook = nbformat.v4.new_notebook(cells=numbered)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    return path


Grade = Callable[..., dict[str, ExerciseResult]]


def statuses(results: dict[str, ExerciseResult]) -> dict[str, str]:
    return {name: result.status for name, result in results.items()}
