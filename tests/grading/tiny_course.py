"""A course of four tiny exercises, and notebooks that answer them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nbformat
import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception
from transformer_checks.grading.results import ExerciseResult
from transformer_checks.grading.sandbox.client import Limits

RIGHT = {
    "double": "def double(x):\n    return 2 * x",
    "total": "def total(x):\n    return x.sum(-1)",
    "weights": "def weights(x):\n    e = (x - x.amax(-1, keepdim=True)).exp()\n"
    "    return e / e.sum(-1, keepdim=True)",
    "ends": "def ends(x):\n    return x.amin(-1), x.amax(-1)",
}
IMPORTS = "import os, sys, time\nimport torch"
CALM = Limits()  # for notebooks that end by themselves, however busy the machine is
QUICK = Limits(cell=3.0, exercise=1.5, grace=0.5)  # for those that must be stopped


def _draw(generator: Generator) -> list[Case]:
    return [
        Case("two rows", {"x": torch.randn(2, 3, generator=generator)}),
        Case("a transposed view", {"x": torch.randn(2, 5, 4, generator=generator).mT}),
        Case("gradients", {"x": torch.randn(3, 4, generator=generator)}, gradients=True),
    ]


def _tiny(
    answer: str, points: int, returns: tuple[str, ...], reference: Callable[[Tensor], Any]
) -> Check:
    def squared(x: Tensor) -> Any:
        return reference(x * x)

    return Check(
        name=f"tiny.{answer}",
        lesson="99_tiny",
        title=f"Exercise {answer}",
        answer=answer,
        returns=returns,
        points=points,
        difficulty=1,
        importance=1,
        minutes=1,
        draw=_draw,
        reference=reference,
        slips=(Misconception("squared", squared, "it is squared", "Read it again."),),
        hints=("One.", "Two."),
        forbidden=frozenset({"softmax"}),
    )


TINY = (
    _tiny("double", 1, ("twice",), lambda x: 2 * x),
    _tiny("total", 2, ("total",), lambda x: x.sum(-1)),
    _tiny("weights", 3, ("weights",), lambda x: x.softmax(-1)),
    _tiny("ends", 4, ("low", "high"), lambda x: (x.amin(-1), x.amax(-1))),
)


def save(path: Path, cells: Sequence[str]) -> Path:
    """Write a notebook with these code cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    return path


Grade = Callable[..., dict[str, ExerciseResult]]


def statuses(results: dict[str, ExerciseResult]) -> dict[str, str]:
    return {name: result.status for name, result in results.items()}
