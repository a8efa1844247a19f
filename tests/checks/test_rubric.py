"""An open exercise: points by what is measured, parts of them too."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import nbformat
import pytest
import torch
from nbgrader.utils import determine_grade
from torch import Tensor

from notebook_judge.checks.calls import call_all
from notebook_judge.checks.cases import Outcome
from notebook_judge.checks.exercise import Rubric
from notebook_judge.checks.judge import Judgement, judge
from notebook_judge.checks.panel import verdict_panel
from notebook_judge.grading.nbgrader_judge import _output
from notebook_judge.grading.results import ExerciseResult, NotebookResult
from transformer_checks.catalogue import CHECKS

CHECK = CHECKS["translation.beat"]


def _mean(got: Mapping[str, Tensor], _: Mapping[str, Tensor]) -> float:
    return float(got["tokens"].double().mean())


LEVELS = ((1.0, 1), (2.0, 2), (3.0, 3))
SMALL = replace(CHECK, rubric=Rubric("mean", _mean, LEVELS, CHECK.right))


def _verdict(value: float) -> Judgement:
    cases = SMALL.cases(0)

    def answer(sources: list, targets: list, tests: list, seed: int) -> Tensor:
        return torch.full((len(tests), 2), value)

    return judge(SMALL, cases, call_all(SMALL, answer, cases))


@pytest.mark.parametrize(
    ("value", "points", "lead"),
    [
        (0.5, 0, "mean 1 gives 1."),
        (1.0, 1, "mean 2 gives 2."),
        (2.9, 2, "mean 3 gives 3."),
        (3.0, 3, ""),
    ],
)
def test_points_follow_what_is_measured(value: float, points: int, lead: str) -> None:
    verdict = _verdict(value)
    assert verdict.status == ("passed" if points == 3 else "wrong")
    assert (verdict.points, verdict.lead) == (points, lead)
    assert verdict.headline == f"mean {value:.1f}: {points} of 3 points"


def test_what_exceeds_the_limit_earns_nothing() -> None:
    (case,) = SMALL.cases(0)
    tests = list[list[int]](case.inputs["tests"])  # type: ignore[arg-type]
    got = Outcome({"tokens": torch.full((len(tests), 2), 9.0)}, too_much="makes 9 multiplications")
    verdict = judge(SMALL, [replace(case, most_products=8)], [got])
    assert (verdict.status, verdict.points) == ("wrong", 0)
    assert verdict.headline == "`translate` makes 9 multiplications"


def test_nbgrader_gives_a_part_of_the_points_too() -> None:
    verdict = _verdict(2.0)
    result = ExerciseResult(
        SMALL.name, SMALL.title, verdict.status, verdict.points, SMALL.points, verdict.headline, ""
    )
    held = {"grade": True, "solution": False, "locked": True, "points": 3, "grade_id": "a"}
    cell = nbformat.v4.new_code_cell(metadata={"nbgrader": {**held, "schema_version": 3}})
    cell.outputs = [_output(result, NotebookResult("a", "a.ipynb", "graded"))]
    assert determine_grade(cell) == (2, 3)


def test_the_panel_says_how_many_points() -> None:
    assert "translation.beat: wrong, 2 of 3 points" in repr(verdict_panel(SMALL, _verdict(2.0)))
    assert "points" not in repr(verdict_panel(SMALL, _verdict(0.0))).splitlines()[0]


def test_long_lists_are_shown_in_part() -> None:
    assert len(_verdict(0.0).counterexample) < 3000


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (None, "returned None: is its `return` missing?"),
        ("Bonjour", "is a str; expected a tensor"),
        ((torch.ones(100, 3), None), "is a tuple of 2; expected one tensor"),
        (torch.full((100, 3), torch.nan), "BLEU 0.0"),
        (torch.ones(100, 3, dtype=torch.half), "BLEU 0.0"),
        *((odd, "") for odd in (torch.ones(3), torch.rand(100, 4), torch.ones(7, 3))),
        (torch.zeros(100, 0, dtype=torch.long), ""),
    ],
)
def test_whatever_comes_back_is_measured(returned: Any, words: str) -> None:
    cases = CHECK.cases(0)
    verdict = judge(CHECK, cases, call_all(CHECK, lambda *_: returned, cases))
    assert (verdict.passed, verdict.points) == (False, 0)
    assert words in verdict.headline
    assert words or verdict.slip or verdict.headline.startswith("BLEU 0.0")


def test_nothing_that_an_answer_is_given_leads_to_the_translations() -> None:
    case = CHECK.cases(0)[0]
    known = {tuple(source) for source in case.inputs["sources"]}  # type: ignore[union-attr]
    assert not known & {tuple(source) for source in case.inputs["tests"]}  # type: ignore[union-attr]
    assert set(case.inputs) == {"sources", "targets", "tests", "seed"}
    assert case.inputs["seed"] != CHECK.cases(1)[0].inputs["seed"]
