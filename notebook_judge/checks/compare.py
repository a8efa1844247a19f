"""Whether what came back is what should have, and whether two outcomes agree."""

import math
import re
from dataclasses import replace

import torch
from torch import Tensor

from notebook_judge.checks.cases import Outcome
from notebook_judge.checks.exercise import Check
from notebook_judge.course import course

_WORK = re.compile(r"makes (\d[\d,]*) multiplications", re.ASCII)


def comparable(outcome: Outcome, expected: Outcome) -> Outcome:
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


def right(check: Check, outcome: Outcome, expected: Outcome) -> bool:
    """Whether the values are what they should be, within the limits of the case."""
    if not outcome.answered or outcome.too_much:
        return False
    if check.rubric:
        measured = check.rubric.measure(outcome.values, expected.values)
        return check.rubric.points(measured) == check.points
    return not different(check, outcome, expected)


def different(check: Check, outcome: Outcome, expected: Outcome) -> list[str]:
    """Names of the values that are wrong."""
    return [n for n, v in expected.values.items() if not _close(check, n, outcome.values[n], v)]


def _close(check: Check, name: str, got: Tensor, expected: Tensor) -> bool:
    if got.shape != expected.shape or wrong_kind(got, expected):
        return False
    atol = tolerance(check, name, expected)
    # NaN is expected only where it was given, and is to be left alone.
    one, other = got.double(), expected.double()
    return torch.allclose(one, other, rtol=check.rtol, atol=atol, equal_nan=True)


def tolerance(check: Check, name: str, expected: Tensor) -> float:
    """A gradient is a sum in which large terms cancel: its rounding goes with the largest."""
    if not name.startswith("gradient of") or not expected.numel():
        return check.atol
    return max(check.atol, 1e-4 * expected.abs().max().item())


def same(check: Check, one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes, right or wrong, are the same; errors of one type are alike."""
    if not (one.answered and other.answered):
        return bool(one.error) and _error_type(one) == _error_type(other)
    if not _as_much(one.too_much, other.too_much):
        return False
    return one.values.keys() == other.values.keys() and all(
        value.shape == other.values[name].shape
        and kind(value) == kind(other.values[name])
        and torch.allclose(
            value.double(),
            other.values[name].double(),
            rtol=check.rtol,
            atol=max(tolerance(check, name, other.values[name]), _rounding(other.values[name])),
            equal_nan=True,
        )
        for name, value in one.values.items()
    )


def _as_much(one: str, other: str) -> bool:
    """Whether two answers exceed a limit in the same way: by the same work, or the same tensor.

    The work may differ by a little that is done beside the products of matrices.
    """
    works = [_WORK.match(words) for words in (one, other)]
    if works[0] and works[1]:
        numbers = (float(work[1].replace(",", "")) for work in works if work)
        return math.isclose(*numbers, rel_tol=0.02)
    return bool(one) == bool(other) and one.partition("; ")[2] == other.partition("; ")[2]


def _error_type(outcome: Outcome) -> str:
    return (outcome.error or "").partition(":")[0]


def _rounding(values: Tensor) -> float:
    """What float32 may lose where large terms cancel, as they do in a wrong answer."""
    finite = values.double()[values.isfinite()]
    return 1e-6 * finite.abs().max().item() if finite.numel() else 0.0


def wrong_kind(got: Tensor, expected: Tensor) -> tuple[str, str] | None:
    """What dtype was expected, and why, if another kind of number came.

    float64 will do for float32; so will whole numbers, whose values will tell. Half precision is
    expected only where a case is in it, of an exercise that asks for the dtype of what is given.
    """
    if torch.bool in (got.dtype, expected.dtype):
        truth = got.dtype == torch.bool and not got.dim() and not expected.is_floating_point()
        if got.dtype == expected.dtype or truth:  # Python's True is the number 1
            return None
        wanted = "torch.bool" if expected.dtype == torch.bool else "numbers"
        return wanted, course().truths
    if not got.numel() or not got.is_floating_point():
        return None  # torch chooses the dtype of an empty list itself
    if not expected.is_floating_point():
        lead = "Ids, indices and counts are whole numbers: only those can look something up."
        return "whole numbers, such as torch.int64", lead
    if kind(expected) == "half precision":
        lead = "The exercise says which dtype the result has: that of what is given."
        return None if got.dtype == expected.dtype else (str(expected.dtype), lead)
    if kind(got) == "half precision":
        lead = "Half precision keeps three digits. The inputs are float32: let the result be, too."
        return "torch.float32", lead
    return None


def kind(values: Tensor) -> str:
    """What sort of numbers these are, as far as it is judged."""
    if not values.is_floating_point():
        return "truth" if values.dtype == torch.bool else "whole numbers"
    return "half precision" if torch.finfo(values.dtype).eps > 1e-4 else "numbers"
