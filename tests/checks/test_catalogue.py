"""Every exercise: its reference passes, each of its misconceptions is rejected by its own name."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from transformer_lesson.checks.calls import call
from transformer_lesson.checks.catalogue import CHECKS
from transformer_lesson.checks.exercise import Case, Check, LanguageModel, Misconception, Value
from transformer_lesson.checks.judge import Verdict, judge

SEEDS = (0, 1, 2)
SLIPS = [(check, slip) for check in CHECKS.values() for slip in check.misconceptions]


def verdict(check: Check, answer: Callable[..., Any], seed: int = 0) -> Verdict:
    cases = check.cases(seed)
    outcomes = [call(answer, case, check.returns) for case in cases]
    return judge(check, cases, outcomes)


def _all_inputs(case: Case) -> list[Value]:
    values = [*case.inputs.values(), *(case.build.weights.values() if case.build else ())]
    tables = [value.table if isinstance(value, LanguageModel) else value for value in values]
    return [value for value in tables if value is not None and not isinstance(value, str)]


def _flat(value: Any) -> Any:
    """A list of lists of unequal lengths, which make no tensor, as one list."""
    if not isinstance(value, list):
        return value
    return [
        number for part in value for number in (_flat(part) if isinstance(part, list) else [part])
    ]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda check: check.name)
def test_reference_passes(check: Check, seed: int) -> None:
    assert verdict(check, check.reference, seed) == Verdict(check.name, "passed", check.points)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("check", "slip"), SLIPS, ids=lambda part: part.name)
def test_misconception_is_named(check: Check, slip: Misconception, seed: int) -> None:
    found = verdict(check, slip.answer, seed)
    assert (found.status in ("wrong", "error"), found.misconception) == (True, slip.name)
    assert found.points == 0
    assert found.counterexample


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda check: check.name)
def test_exercise_is_complete(check: Check) -> None:
    assert len(check.misconceptions) >= 5
    assert len({slip.name for slip in check.misconceptions}) == len(check.misconceptions)
    assert len(check.hints) >= 2
    assert 1 <= check.difficulty <= 5
    assert 1 <= check.importance <= 5


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda check: check.name)
def test_cases_repeat_with_the_seed_and_differ_without(check: Check) -> None:
    def numbers(seed: int) -> list[float]:
        return [
            float(torch.as_tensor(_flat(value), dtype=torch.float64).sum())
            for case in check.cases(seed)
            for value in _all_inputs(case)
        ]

    assert numbers(3) == numbers(3)
    assert any(numbers(3) != numbers(seed) for seed in range(4, 10))
