"""Slips that any answer may have: none passes, in any exercise, and each is told in general terms.

They are made of the solutions: each is right but for one thing.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from authoring.gate import answers_in
from notebook_judge.checks.calls import call_all
from notebook_judge.checks.cases import Case, LanguageModel
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.judge import Judgement, judge
from notebook_judge.checks.reference import reference
from transformer_checks.catalogue import CHECKS

Answer = Callable[..., Any]
Inputs = tuple[Any, ...]
Known = dict[str, Any]
# What a wrong answer does with the right one, its inputs, and what it remembers from call to call.
Slip = Callable[[Answer, Inputs, Known], Any]
# Where a rubric measures how good a result is, a slip costs points and needs no name.
ONE_RIGHT = [check for check in CHECKS.values() if not check.rubric]
pytestmark = pytest.mark.sampled(5)  # the gate judges the same solutions
EVERY = pytest.mark.parametrize("check", ONE_RIGHT, ids=lambda check: check.name)
WITH_TENSORS = [
    c
    for c in ONE_RIGHT
    if any(
        isinstance(v, Tensor | LanguageModel) for case in c.cases(0) for v in case.inputs.values()
    )
]
WANTING_GRADIENTS = [c for c in ONE_RIGHT if any(case.gradients for case in c.cases(0))]


def verdict(check: Check, slip: Slip, cases: Sequence[Case]) -> Judgement:
    """Judge the solution with a slip in what is called; for a class that is its forward."""
    solution = answers_in("solutions", check.lesson)[check.answer]
    known: dict[str, Any] = {}  # of all modules, for each case makes one of its own

    def wrong(answer: Answer) -> Answer:
        return lambda *inputs: slip(answer, inputs, known)

    def build(*arguments: Any, **named: Any) -> nn.Module:
        module = solution(*arguments, **named)
        module.forward = wrong(module.forward)
        return module

    answer = build if isinstance(solution, type) else wrong(solution)
    outcomes = call_all(check, answer, list(cases))
    return judge(check, cases[: len(outcomes)], outcomes)


def each(change: Callable[[Tensor], Any], check: Check) -> Slip:
    """Do something to every result."""

    def slip(answer: Answer, inputs: Inputs, known: Known) -> Any:
        returned = answer(*inputs)
        if len(check.returns) == 1:
            return change(torch.as_tensor(returned))
        return tuple(change(torch.as_tensor(value)) for value in returned)

    return slip


def other(value: Tensor) -> Tensor:
    return ~value if value.dtype == torch.bool else value + 1


def returns_nothing(answer: Answer, inputs: Inputs, known: Known) -> None:
    answer(*inputs)


def returns_one_more(answer: Answer, inputs: Inputs, known: Known) -> Any:
    returned = answer(*inputs)
    return (*returned, None) if isinstance(returned, tuple) else (returned, None)


def _write(value: Any) -> None:
    if isinstance(value, LanguageModel):
        value = value.table
    if isinstance(value, Tensor):
        value.copy_(other(value))
    elif isinstance(value, list):
        value.append(1)


def _equal(one: Any, two: Any) -> bool:
    if isinstance(one, LanguageModel):
        one, two = one.table, two.table
    return torch.equal(one, two) if isinstance(one, Tensor) else one == two


@EVERY
def test_general_slips_are_named(check: Check) -> None:
    def right_once(answer: Answer, inputs: Inputs, known: Known) -> Any:
        known["calls"] = known.get("calls", 0) + 1
        return answer(*inputs) if known["calls"] == 1 else each(other, check)(answer, inputs, known)

    again = "called again with the same inputs gives another result"
    count = len(check.returns)
    slips: dict[str, Slip] = {
        "returned None: is its `return` missing?": returns_nothing,
        again: right_once,
        "has shape (1,": each(lambda value: value.unsqueeze(0), check),
        "is a str; expected a tensor": each(lambda value: "a text", check),
        "is a tuple of 2; expected one tensor": each(lambda value: (value, None), check),
        f"returned {count + 1} values" if count > 1 else "is a tuple": returns_one_more,
    }
    first = check.cases(0)[:1]
    for headline, slip in slips.items():
        found = verdict(check, slip, first)
        assert not found.passed
        assert headline in found.headline
    noise = each(lambda v: other(v) if torch.rand(()) < 0.5 else v + 0 * v, check)
    assert not verdict(check, noise, check.cases(0)).passed


@EVERY
def test_a_result_of_another_kind(check: Check) -> None:
    """float64 will do; half precision will not, nor NaN, nor fractions in the place of ids."""

    def wider(value: Tensor) -> Tensor:
        return value.double() if value.is_floating_point() else value

    first = check.cases(0)[:1]
    assert verdict(check, each(wider, check), first).passed
    for dtype in (torch.float16, torch.bfloat16):
        found = verdict(check, each(partial(torch.Tensor.to, dtype=dtype), check), first)
        assert found.status == "wrong"
        assert f"has dtype {dtype}" in found.headline or found.slip
    found = verdict(check, each(lambda value: value.float() * torch.nan, check), check.cases(0))
    assert not found.passed
    told = "NaN" in found.headline or "has dtype torch.float32" in found.headline
    assert told or found.slip  # there is a slip that gives NaN everywhere


@EVERY
def test_a_result_in_fewer_digits(check: Check) -> None:
    """Computed in half precision, and turned back: the dtype does not show it, the numbers do."""

    def coarser(value: Tensor) -> Tensor:
        return value.half().to(value.dtype) if value.is_floating_point() else value

    found = verdict(check, each(coarser, check), check.cases(0))
    values = [value for case in check.cases(0) for value in reference(check, case).values.values()]
    assert found.passed == all(torch.equal(coarser(value), value) for value in values)


@EVERY
def test_results_in_each_others_place(check: Check) -> None:
    def last_first(answer: Answer, inputs: Inputs, known: Known) -> Any:
        first, *others = answer(*inputs)
        return (*others, first)

    if len(check.returns) != 2:
        return
    found = verdict(check, last_first, check.cases(0))
    assert found.slip or any(
        words in found.headline for words in ("in each other's place", "has shape", "has dtype")
    )


@pytest.mark.parametrize("check", WITH_TENSORS, ids=lambda check: check.name)
def test_a_result_that_is_kept_by_shape(check: Check) -> None:
    """Other inputs of the same shapes need another result, and a module other weights."""

    def kept(answer: Answer, inputs: Inputs, known: Known) -> Any:
        plain = [v.table if isinstance(v, LanguageModel) else v for v in inputs]
        key = str([v.shape if isinstance(v, Tensor) else v for v in plain])
        if key not in known:
            known[key] = answer(*inputs)
        return known[key]

    assert not verdict(check, kept, check.cases(0)).passed


@EVERY
def test_numpy_is_as_good_where_no_gradient_is_asked_for(check: Check) -> None:
    found = verdict(check, each(lambda value: value.detach().numpy(), check), check.cases(0))
    assert found.passed == (check not in WANTING_GRADIENTS and "NumPy" not in check.forbidden)


@pytest.mark.parametrize("check", WANTING_GRADIENTS, ids=lambda check: check.name)
def test_a_gradient_that_was_cut_off_is_named(check: Check) -> None:
    cases = [case for case in check.cases(0) if case.gradients]
    found = verdict(check, each(torch.detach, check), cases)
    assert "no gradient reaches the inputs" in found.headline


@EVERY
def test_a_write_into_an_input_is_named(check: Check) -> None:
    def writes(answer: Answer, inputs: Inputs, known: Known) -> Any:
        returned = each(torch.clone, check)(answer, inputs, known)
        with torch.no_grad():
            for value in inputs:
                _write(value)
        return returned

    first = check.cases(0)[:1]
    found = verdict(check, writes, first)
    if any(isinstance(v, Tensor | LanguageModel | list) for v in first[0].inputs.values()):
        assert "changed its input" in found.headline
    else:
        assert found.passed


@EVERY
def test_right_for_the_first_case_alone(check: Check) -> None:
    def hard_coded(answer: Answer, inputs: Inputs, known: Known) -> Any:
        if "result" not in known:
            known["result"] = answer(*inputs)
        return known["result"]

    def for_these_inputs(answer: Answer, inputs: Inputs, known: Known) -> Any:
        first = known.setdefault("inputs", [_copy(value) for value in inputs])
        same = all(map(_equal, first, inputs))
        return answer(*inputs) if same else each(other, check)(answer, inputs, known)

    for slip in (hard_coded, for_these_inputs):
        found = verdict(check, slip, check.cases(0))
        assert found.status in ("wrong", "error", "not allowed")  # a kernel not launched


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value
