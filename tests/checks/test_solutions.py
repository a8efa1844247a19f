"""The reference of an exercise is its solution, which independent answers bear out."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from authoring.styles import styles
from notebook_judge.checks.calls import call
from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check, Slip
from notebook_judge.checks.reference import in_float64
from notebook_judge.checks.solutions import Answer, Solution, solution_of
from transformer_checks.catalogue import CHECKS

DOUBLE = Solution("numbers.double", "double", "def double(x):\n    return times(2, x)\n", "")
# Where a rubric measures how good a result is, no single one is right.
ONE_RIGHT = [check for check in CHECKS.values() if not check.rubric]
CLOSE = 1e-6  # of the largest number: no rounding of float64, and none of a wrong formula


def agrees(check: Check, style: Answer, case: Case) -> bool:
    """Whether an answer in another style gives what the solution gives, on a case in float64."""
    expected = call(check.right, case, check.returns).values
    given = call(style, case, check.returns)
    return not given.error and all(
        torch.allclose(
            given.values[name].double(),
            right.double(),
            rtol=0,
            atol=CLOSE * max(1.0, right.double().nan_to_num(0, 0, 0).abs().amax().item()),
            equal_nan=True,
        )
        for name, right in expected.items()
        if right.numel()
    )


@pytest.mark.sampled(4)
@pytest.mark.parametrize("check", ONE_RIGHT, ids=lambda check: check.name)
def test_an_independent_answer_agrees_with_the_solution_in_float64(check: Check) -> None:
    cases = [in_float64(case) for case in check.cases(0)]
    assert any(all(agrees(check, style, case) for case in cases) for style in styles()[check.name])


def test_a_slip_replaces_text_wherever_it_stands() -> None:
    text = "def double(x):\n    return 0 * x + 2 * x\n"
    edited = replace(DOUBLE, text=text).edited({"* x": "* x * x", "def double(x)": "def double(x)"})
    assert edited.run()(3) == 18


def test_an_answer_may_call_what_stands_above_it() -> None:
    solution = replace(DOUBLE, above="def times(n, x):\n    return n * x\n")
    assert solution.run()(4) == 8
    assert solution.edited({"2": "3"}).run()(4) == 12


def test_a_slip_of_a_text_that_is_gone_is_named_with_its_exercise() -> None:
    stale = Slip("halved", {"x / 2": "x"}, "it is halved", "Read it again.")
    with pytest.raises(ValueError, match=r"attention.scores edits 'x / 2', which its solution"):
        CHECKS["attention.scores"].wrong(stale)


def test_an_exercise_without_an_answer_is_named() -> None:
    with pytest.raises(KeyError, match=r"02_self_attention\.txt has no section 'attention.none'"):
        solution_of("attention.none", "02_self_attention", "none")


def test_an_answer_that_runs_the_solution_is_noticed() -> None:
    check = CHECKS["attention.scores"]

    def borrowed(query: Any, key: Any) -> Any:
        return check.right(query, key)

    outcome = call(borrowed, check.cases(0)[0], check.returns, forbidden=check.forbidden)
    assert "the course's `attention_scores`" in outcome.shortcuts
