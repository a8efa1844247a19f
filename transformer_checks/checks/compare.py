"""What should come back from a case, what a known mistake gives, and whether two agree."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from transformer_checks.checks import probes
from transformer_checks.checks.calls import call
from transformer_checks.checks.cases import Case, LanguageModel, Outcome, Value
from transformer_checks.checks.exercise import Check, Slip
from transformer_checks.checks.solutions import Answer

# What the course's own versions give on a case: computed once for a whole class.
_known: WeakKeyDictionary[Case, dict[Callable[..., Any], Outcome]] = WeakKeyDictionary()


def reference(check: Check, case: Case) -> Outcome:
    """What the right answer gives on a case, in float64.

    Raises:
        RuntimeError: it fails, which is the author's mistake.
    """
    known = _known.setdefault(case, {})
    if check.right in known:
        return known[check.right]
    outcome = call(check.right, in_float64(case), check.returns)
    if outcome.error:
        raise RuntimeError(
            f"the reference of {check.name} failed on {case.label!r}: {outcome.error}"
        )
    known[check.right] = outcome
    return outcome


def in_float64(case: Case) -> Case:
    """Return the case with all its numbers in float64, and no limits."""
    inputs = {name: _double(value) for name, value in case.inputs.items()}
    exact = replace(case, inputs=inputs, most_numbers=None, most_products=None)
    if not case.build:
        return exact
    weights = {name: weight.double() for name, weight in case.build.weights.items()}
    return replace(exact, build=replace(case.build, weights=weights))


def outcome_of(check: Check, slip: Slip, case: Case) -> Outcome:
    """What a slip gives on a case."""
    return given_by(check.wrong(slip), check, case)


def given_by(answer: Answer, check: Check, case: Case) -> Outcome:
    """What one of the course's own versions gives on a case, computed once."""
    known = _known.setdefault(case, {})
    if answer not in known:
        with warnings.catch_warnings(action="ignore"):  # mistakes divide by zero, and the like
            known[answer] = call(answer, case, check.returns)
    return known[answer]


def _double(value: Value) -> Value:
    if isinstance(value, LanguageModel):
        return LanguageModel(value.table.double())
    return value.double() if isinstance(value, Tensor) and value.is_floating_point() else value


def right(check: Check, outcome: Outcome, expected: Outcome) -> bool:
    """Whether the values are what they should be, within the limits of the case."""
    if not outcome.answered:
        return False
    if check.rubric:
        measured = check.rubric.measure(outcome.values, expected.values)
        return check.rubric.points(measured) == check.points
    return not outcome.too_much and not different(check, outcome, expected)


def different(check: Check, outcome: Outcome, expected: Outcome) -> list[str]:
    """Names of the values that are wrong."""
    return [n for n, v in expected.values.items() if not _close(check, n, outcome.values[n], v)]


def _close(check: Check, name: str, got: Tensor, expected: Tensor) -> bool:
    if got.shape != expected.shape or probes.wrong_kind(got, expected):
        return False
    atol = tolerance(check, name, expected)
    return torch.allclose(got.double(), expected.double(), rtol=check.rtol, atol=atol)


def tolerance(check: Check, name: str, expected: Tensor) -> float:
    """A gradient is a sum in which large terms cancel: its rounding goes with the largest."""
    if not name.startswith("gradient of") or not expected.numel():
        return check.atol
    return max(check.atol, 1e-4 * expected.abs().max().item())


def same(check: Check, one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes, right or wrong, are the same; errors of one type are alike."""
    if not (one.answered and other.answered):
        return bool(one.error) and _error_type(one) == _error_type(other)
    if bool(one.too_much) != bool(other.too_much):
        return False
    return one.values.keys() == other.values.keys() and all(
        value.shape == other.values[name].shape
        and probes.kind(value) == probes.kind(other.values[name])
        and torch.allclose(
            value.double(),
            other.values[name].double(),
            rtol=check.rtol,
            atol=max(tolerance(check, name, other.values[name]), _rounding(other.values[name])),
            equal_nan=True,
        )
        for name, value in one.values.items()
    )


def _error_type(outcome: Outcome) -> str:
    return (outcome.error or "").partition(":")[0]


def _rounding(values: Tensor) -> float:
    """What float32 may lose where large terms cancel, as they do in a wrong answer."""
    finite = values.double()[values.isfinite()]
    return 1e-6 * finite.abs().max().item() if finite.numel() else 0.0
