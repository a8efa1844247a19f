"""Compare what came back with what should have, and name the first thing that is wrong.

The judge is pure: cases and outcomes in, a verdict out. It runs no learner's code, so the same
judge serves the notebook and the grader.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from transformer_checks.checks import probes
from transformer_checks.checks.calls import call
from transformer_checks.checks.cases import Case, LanguageModel, Outcome, Value
from transformer_checks.checks.exercise import Check, Slip

MOST_SHOWN = 400  # letters of a list

# What the course's own versions give on a case: computed once for a whole class.
_known: WeakKeyDictionary[Case, dict[Callable[..., Any], Outcome]] = WeakKeyDictionary()

Status = Literal["passed", "wrong", "error", "timeout", "not allowed", "not attempted"]


@dataclass(frozen=True)
class Verdict:
    """What a learner or a teacher is told about one answer.

    Attributes:
        check: name of the exercise.
        status: the verdict in one word or two.
        points: what was earned.
        headline: the first thing that is wrong, in one sentence; empty if nothing is.
        lead: what to try next.
        slip: handle of the known mistake, empty if it is none.
        counterexample: the smallest case that shows it: inputs, expected, got.
    """

    check: str
    status: Status
    points: int = 0
    headline: str = ""
    lead: str = ""
    slip: str = ""
    counterexample: str = ""

    @property
    def passed(self) -> bool:
        return self.status == "passed"


def judge(check: Check, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> Verdict:
    """Judge an answer by its outcomes.

    Args:
        check: the exercise.
        cases: what the answer was called with, the smallest first.
        outcomes: what came back, one for each case.
    """
    expected = [_reference(check, case) for case in cases]
    outcomes = [_plain(*pair) for pair in zip(outcomes, expected, strict=True)]
    for index, (case, outcome) in enumerate(zip(cases, outcomes, strict=True)):
        if outcome.unanswered:
            nothing = bool(outcome.error)  # the stub raises; this one returned None
            return Verdict(
                check.name,
                "not attempted",
                headline=f"not yet: `{check.answer}` "
                + ("returned None: is its `return` missing?" if nothing else "is still empty"),
                lead=f'Fill in `{check.answer}` above. `hint("{check.name}")` gives a nudge.',
            )
        if outcome.shortcuts:
            return Verdict(
                check.name,
                "not allowed",
                headline=f"`{check.answer}` calls {outcome.shortcuts[0]}",
                lead="This part you are asked to build by hand, from plain tensor operations.",
            )
        if outcome.timed_out:
            return Verdict(
                check.name,
                "timeout",
                headline=f"`{check.answer}` gave no result within the time limit",
                lead="Is there a loop that never ends, or one over every single number?",
                counterexample="\n".join(filter(None, [outcome.error, _inputs(case)])),
            )
        if outcome.unsteady:
            return Verdict(
                check.name,
                "wrong",
                headline=f"`{check.answer}` called again with the same inputs gives another result",
                lead="What does it keep from call to call, leave to chance (dropout?), or never "
                "fill (torch.empty)?",
                slip="second call differs",
                counterexample=_inputs(case),
            )
        if not _right(check, outcome, expected[index]):
            return _explain(check, cases, outcomes, expected, index)
        if outcome.changed:
            return Verdict(
                check.name,
                "wrong",
                headline=f"`{check.answer}` changed its input {outcome.changed[0]} in place",
                lead="The caller still needs it as it was. Make a new one instead.",
                slip="writes into its input",
                counterexample=_inputs(case),
            )
    reached = _measured(check, outcomes[0], expected[0])[0] if check.rubric else ""
    return Verdict(check.name, "passed", points=check.points, headline=reached)


def _plain(outcome: Outcome, expected: Outcome) -> Outcome:
    """The outcome with either all the values that are compared, or none.

    What came back may have been forged: an error beside values, or values of other names.
    """
    if not outcome.answered:
        silent = not (outcome.error or outcome.unanswered or outcome.timed_out)
        error = "it gave no values" if silent else outcome.error
        return replace(outcome, values={}, error=error, too_much="")
    if outcome.values.keys() != expected.values.keys():
        return Outcome(error=f"it returned other values than {', '.join(expected.values)}")
    return outcome


def is_right(check: Check, case: Case, outcome: Outcome) -> bool:
    """Whether one call gave what it should, and did nothing that it should not."""
    expected = _reference(check, case)
    amiss = outcome.unsteady or outcome.shortcuts or outcome.changed
    return not amiss and _right(check, _plain(outcome, expected), expected)


def _reference(check: Check, case: Case) -> Outcome:
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
    """Return the case with all its numbers in float64, and no limit on what is held."""
    inputs = {name: _double(value) for name, value in case.inputs.items()}
    exact = replace(case, inputs=inputs, most_numbers=None)
    if not case.build:
        return exact
    weights = {name: weight.double() for name, weight in case.build.weights.items()}
    return replace(exact, build=replace(case.build, weights=weights))


def outcome_of(check: Check, slip: Slip, case: Case) -> Outcome:
    """What a slip gives on a case, computed once."""
    known = _known.setdefault(case, {})
    answer = check.wrong(slip)
    if answer not in known:
        known[answer] = call(answer, case, check.returns)
    return known[answer]


def _double(value: Value) -> Value:
    if isinstance(value, LanguageModel):
        return LanguageModel(value.table.double())
    return value.double() if isinstance(value, Tensor) and value.is_floating_point() else value


def _right(check: Check, outcome: Outcome, expected: Outcome) -> bool:
    if not outcome.answered:
        return False
    if check.rubric:
        return check.rubric.points(_value(check, outcome, expected)) == check.points
    return not outcome.too_much and all(
        _close(check, name, outcome.values[name], value) for name, value in expected.values.items()
    )


def _value(check: Check, outcome: Outcome, expected: Outcome) -> float:
    """What the rubric measures."""
    assert check.rubric
    return check.rubric.measure(outcome.values, expected.values)


def _measured(check: Check, outcome: Outcome, expected: Outcome) -> tuple[str, str]:
    """What the rubric measures, and what the next level needs, in words."""
    assert check.rubric
    value = _value(check, outcome, expected)
    points = check.rubric.points(value)
    words = f"{check.rubric.unit} {value:.1f}: {points} of {check.points} points"
    return words, check.rubric.next(value)


def _close(check: Check, name: str, got: Tensor, expected: Tensor) -> bool:
    if got.shape != expected.shape or probes.wrong_kind(got, expected):
        return False
    atol = _atol(check, name, expected)
    return torch.allclose(got.double(), expected.double(), rtol=check.rtol, atol=atol)


def _atol(check: Check, name: str, expected: Tensor) -> float:
    """A gradient is a sum in which large terms cancel: its rounding goes with the largest."""
    if not name.startswith("gradient of") or not expected.numel():
        return check.atol
    return max(check.atol, 1e-4 * expected.abs().max().item())


def _explain(
    check: Check,
    cases: Sequence[Case],
    outcomes: Sequence[Outcome],
    expected: Sequence[Outcome],
    first: int,
) -> Verdict:
    outcome, case = outcomes[first], cases[first]
    example = _inputs(case)
    found = ("", "")
    points = 0
    if check.rubric and not outcome.error:
        found = _measured(check, outcome, expected[first])
        points = check.rubric.points(_value(check, outcome, expected[first]))
    elif outcome.too_much and not _different(check, outcome, expected[first]):
        found = (
            f"`{check.answer}` holds {outcome.too_much}",
            "The values are right. Which tensor is larger than it needs to be?",
        )
        if case.most_numbers is not None:  # a forged outcome may speak of it where nothing is held
            example += f"\nallowed: {case.most_numbers:,} numbers"
    elif not outcome.error:
        name, found = _diagnosis(check, case, outcome, expected[first])
        example += "\n" + _difference(check, name, outcome, expected[first])
    if known := _known_slip(check, cases, outcomes, expected):
        found = (known.says, known.lead)
    elif outcome.error:
        found = (outcome.error, f"It happened with: {case.label}.")
    return Verdict(
        check.name,
        "error" if outcome.error else "wrong",
        points=points,
        headline=found[0],
        lead=found[1],
        slip=known.name if known else "",
        counterexample=example,
    )


def _known_slip(
    check: Check,
    cases: Sequence[Case],
    outcomes: Sequence[Outcome],
    expected: Sequence[Outcome],
) -> Slip | None:
    """The slip that explains the most.

    It must be right wherever the answer is right, and wrong in the same way in the first case that
    went wrong and in a second one, if there is one: in a single case many slips look alike. Where
    the first case shows only NaN or an error, the slip must agree with the answer in every case.
    """
    wrong = [not _right(check, o, e) for o, e in zip(outcomes, expected, strict=True)]
    first = wrong.index(True)
    telling = not outcomes[first].error and all(
        value.double().isfinite().all() for value in outcomes[first].values.values()
    )
    if all(outcome.error for outcome in outcomes):
        return None
    best: Slip | None = None
    most = 0
    for slip in check.slips:
        agrees = [
            _same(check, outcome_of(check, slip, case), outcome)
            for case, outcome in zip(cases, outcomes, strict=True)
        ]
        alike = sum(a and w for a, w in zip(agrees, wrong, strict=True))
        never_better = all(a or w for a, w in zip(agrees, wrong, strict=True))
        likely = agrees[first] and never_better and alike >= min(2, sum(wrong))
        if (likely if telling else all(agrees)) and sum(agrees) > most:
            best, most = slip, sum(agrees)
    return best


def _same(check: Check, one: Outcome, other: Outcome) -> bool:
    if not (one.answered and other.answered):
        return bool(one.error and other.error)
    if bool(one.too_much) != bool(other.too_much):
        return False
    return one.values.keys() == other.values.keys() and all(
        value.shape == other.values[name].shape
        and value.dtype.is_floating_point == other.values[name].dtype.is_floating_point
        and (value.dtype == torch.bool) == (other.values[name].dtype == torch.bool)
        and torch.allclose(
            value.double(),
            other.values[name].double(),
            rtol=check.rtol,
            atol=_atol(check, name, other.values[name]),
            equal_nan=True,
        )
        for name, value in one.values.items()
    )


def _diagnosis(
    check: Check, case: Case, outcome: Outcome, expected: Outcome
) -> tuple[str, tuple[str, str]]:
    """Describe a slip that nobody foresaw: which value shows it, and what the probes say."""
    wrong = _different(check, outcome, expected)
    for name in wrong:
        if found := probes.diagnose(name, outcome.values[name], expected.values[name], case):
            return name, found
    headline = f"{wrong[0]} is not what it should be"
    return wrong[0], (headline, f"Work through this case by hand: {case.label}.")


def _different(check: Check, outcome: Outcome, expected: Outcome) -> list[str]:
    """Names of the values that are wrong."""
    return [n for n, v in expected.values.items() if not _close(check, n, outcome.values[n], v)]


def _inputs(case: Case) -> str:
    lines = [f"with {case.label}:"]
    if case.build:
        config = ", ".join(f"{name}={value!r}" for name, value in case.build.config.items())
        lines.append(f"  built with {config}; {'training' if case.build.training else 'eval'} mode")
    lines += [f"  {name} = {_shown(value)}" for name, value in case.inputs.items()]
    return "\n".join(lines)


def _difference(check: Check, name: str, outcome: Outcome, expected: Outcome) -> str:
    got, right = outcome.values[name], expected.values[name]
    lines = [f"expected {name} = {_shown(right)}", f"got      {name} = {_shown(got)}"]
    if got.shape == right.shape and right.dim() > 0:
        atol = _atol(check, name, right)
        close = torch.isclose(got.double(), right.double(), rtol=check.rtol, atol=atol)
        if not close.all():
            at = (~close).nonzero()[0].tolist()
            lines.append(
                f"first difference at {at}: expected {_one(right, at)}, got {_one(got, at)}"
            )
    return "\n".join(lines)


def _one(values: Tensor, at: list[int]) -> str:
    return _shown(values[tuple(at)])


def _shown(value: Value) -> str:
    """A value as a learner would write it down; large tensors by their shape."""
    if isinstance(value, LanguageModel):
        return f"a model with a vocabulary of {value.table.shape[-1]}"
    if not isinstance(value, Tensor):
        words = str(value)
        return words if len(words) <= MOST_SHOWN else f"{words[:MOST_SHOWN]} …"
    if value.numel() > 24:
        return f"tensor of shape {tuple(value.shape)}, {value.dtype}".replace("torch.", "")
    if value.dtype.is_floating_point:
        return str(_rounded(value.double().tolist()))
    return str(value.tolist())


def _rounded(values: float | list) -> float | list:
    if isinstance(values, list):
        return [_rounded(value) for value in values]
    return float(f"{values:.4g}")
