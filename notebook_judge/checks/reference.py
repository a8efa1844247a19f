"""What the course's own versions give on a case: the right answer, and those with a mistake."""

from dataclasses import replace
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from notebook_judge.checks.calls import call
from notebook_judge.checks.cases import Case, LanguageModel, Outcome, Value
from notebook_judge.checks.exercise import Check, Slip
from notebook_judge.checks.solutions import Answer

# Computed once for a whole class; by the version, and whether it was given float64.
_known: WeakKeyDictionary[Case, dict[tuple[Answer, bool], Outcome]] = WeakKeyDictionary()


def reference(check: Check, case: Case) -> Outcome:
    """What the right answer gives on a case, in float64; in half precision where all of it is.

    Raises:
        RuntimeError: it fails, which is the author's mistake.
    """
    outcome = given_by(check.right, check, case, exact=True)
    if outcome.error:
        raise RuntimeError(
            f"the reference of {check.name} failed on {case.label!r}: {outcome.error}"
        )
    values = case.inputs.values()
    dtypes = {v.dtype for v in values if isinstance(v, Tensor) and v.is_floating_point()}
    if dtypes == {torch.float16}:
        return replace(outcome, values={n: _half(v) for n, v in outcome.values.items()})
    return outcome


def outcome_of(check: Check, slip: Slip, case: Case) -> Outcome:
    """What a slip gives on a case."""
    return given_by(check.wrong(slip), check, case)


def given_by(answer: Answer, check: Check, case: Case, *, exact: bool = False) -> Outcome:
    """What one of the course's own versions gives on a case, or on that case in float64."""
    known = _known.setdefault(case, {})
    if (answer, exact) not in known:
        known[answer, exact] = call(answer, in_float64(case) if exact else case, check.returns)
    return known[answer, exact]


def in_float64(case: Case) -> Case:
    """Return the case with all its numbers in float64, and no limits."""
    inputs = {name: _double(value) for name, value in case.inputs.items()}
    exact = replace(case, inputs=inputs, most_numbers=None, most_products=None, least_products=0)
    if not case.build:
        return exact
    weights = {name: weight.double() for name, weight in case.build.weights.items()}
    return replace(exact, build=replace(case.build, weights=weights))


def _half(value: Tensor) -> Tensor:
    return value.half() if value.is_floating_point() else value


def _double(value: Value) -> Value:
    if isinstance(value, LanguageModel):
        return LanguageModel(value.table.double())
    return value.double() if isinstance(value, Tensor) and value.is_floating_point() else value
