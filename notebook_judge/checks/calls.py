"""Call an answer on a case and bring back plain arrays: all that ever touches a learner's code."""

import linecache
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

import numpy as np
import torch
from torch import Tensor

from notebook_judge.checks import other_inputs
from notebook_judge.checks.cases import Case, LanguageModel, Outcome, Value, unshared
from notebook_judge.checks.clock import Clock, TimeLimitExceeded
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.memory import LiveNumbers, Products
from notebook_judge.checks.modes import left_changed, neutral, settings
from notebook_judge.checks.modules import build, check_mode, load, undropped
from notebook_judge.checks.shortcuts import watch
from notebook_judge.course import course

MOST_NUMBERS = 2**22  # in one result: right ones have hundreds


def call_all(
    check: Check, answer: Callable[..., Any], cases: list[Case], clock: Clock | None = None
) -> list[Outcome]:
    """Call a learner's answer on one case after the other.

    Args:
        check: the exercise.
        answer: what the learner wrote.
        cases: what it is called with.
        clock: for all calls together; a new one if not given.

    Returns:
        The outcomes up to the first one that ends the matter: an empty stub, or no time left.
    """
    clock = clock or Clock()
    outcomes: list[Outcome] = []
    for case in cases:
        outcome = call(
            answer,
            case,
            check.returns,
            forbidden=check.forbidden,
            allowed=check.allowed,
            clock=clock,
        )
        outcomes.append(outcome)
        if outcome.settles:
            break
    return outcomes


@neutral()
def call(
    answer: Callable[..., Any],
    case: Case,
    returns: tuple[str, ...],
    *,
    forbidden: frozenset[str] | None = None,
    allowed: tuple[str, ...] = (),
    clock: Clock | None = None,
) -> Outcome:
    """Call ``answer`` on copies of the case's inputs.

    Args:
        answer: the learner's function, or any callable in its place; a class where the case has
            a ``build``.
        case: the inputs, and whether gradients are wanted.
        returns: names for what the answer returns.
        forbidden: operations to report, see ``shortcuts.SHORTCUTS``; functions of this package are
            reported too. None watches nothing and calls once: for the course's own versions.
        allowed: modules of this package whose functions are not reported.
        clock: stops the answer; a new one if not given.

    Returns:
        What came back. Whatever the answer raises is in the outcome, except KeyboardInterrupt.
    """
    inputs = {name: _copied(value, case.gradients) for name, value in case.inputs.items()}
    arguments = {name: unshared(value) for name, value in inputs.items()}
    leaves = dict(inputs)
    shortcuts: list[str] = []
    memory = LiveNumbers() if case.most_numbers is not None else None
    work = Products() if case.most_products is not None else None
    unsteady, behind = False, ""
    clock = clock or Clock()
    before_it = clock.spent
    try:
        with _uncompiled(), undropped(case.build), clock.running():
            before = settings()
            cheap = forbidden is not None and other_inputs.is_cheap(case)
            other = other_inputs.instead_of(case) if cheap else None
            # What a function gives here nobody judges, and a watch takes longer than the call.
            used = {} if case.build else _used(answer, other, returns)
            with _watched(forbidden, allowed, bool(memory or work)) as shortcuts:
                function = _made(answer, case)
                if case.build:
                    used = _used(function, other, returns)
                    leaves |= load(function, case.build, gradients=case.gradients)
                parts = [*function.modules()] if case.build else []
                with memory or nullcontext(), work or nullcontext():
                    returned = function(*arguments.values())
                behind = left_changed(before)
            if case.build:
                check_mode(parts, case.build)
            values = _named(returned, returns)
            if values is None:
                return Outcome(unanswered=True, error="it returned None")
            if not case.gradients:  # where it keeps its result, a further call may write
                values = {name: value.detach().clone() for name, value in values.items()}
            # A second call might exceed the limit.
            slow = clock.look() - before_it > clock.seconds / 20
            if forbidden is not None and not slow:
                unsteady = not _repeats(answer, case, returns, values)
                if other and not unsteady:  # from its second call on it may give another result
                    unsteady = not _alike(used, _used(_made(answer, case), other, returns))
            if case.gradients:
                values |= _gradients(values, leaves)
    except TimeLimitExceeded as limit:
        return Outcome(timed_out=True, error=_place(limit))
    except NotImplementedError as error:
        # PyTorch raises NotImplementedError too, but never without a message, as the stub does.
        if _words(error):
            return Outcome(error=_one_line(error))
        stubs = _own_frames(error)
        if len(stubs) > 1:
            return Outcome(error=f"it calls `{stubs[-1].name}`, which is still empty")
        return Outcome(unanswered=True)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a learner's code may raise anything, SystemExit too
        error = _in_a_kernel(error)
        if issubclass(type(error), NotImplementedError) and not _words(error):
            return Outcome(unanswered=True)
        return Outcome(error=_one_line(error), shortcuts=tuple(shortcuts))
    return Outcome(
        values={name: value.detach() for name, value in values.items()},
        unsteady=unsteady,
        changed=tuple(name for name in inputs if not _same(arguments[name], case.inputs[name])),
        shortcuts=tuple(shortcuts),
        too_much=_too_much(case, memory, work),
        leaves=behind,
    )


def _made(answer: Callable[..., Any], case: Case) -> Any:
    return build(answer, case.build) if case.build else answer


def _used(function: Any, other: Case | None, returns: tuple[str, ...]) -> dict[str, Tensor]:
    """Call a function or a module with others than the case's inputs and weights, if there are any.

    What it keeps from them, by shape or for good, then shows in the case's own result.

    Returns:
        What came back; nothing if such inputs make no sense.
    """
    if other and other.build:
        load(function, other.build, gradients=False)
    with suppress(Exception):
        found = _named(function(*map(unshared, other.inputs.values())), returns) if other else {}
        return {name: value.detach().clone() for name, value in (found or {}).items()}
    return {}


def _repeats(
    answer: Callable[..., Any], case: Case, returns: tuple[str, ...], values: Mapping[str, Tensor]
) -> bool:
    """Whether a second call with the same inputs gives the same, of a new module with the same."""
    function = _made(answer, case)
    if case.build:
        load(function, case.build, gradients=case.gradients)
    before = {name: value.detach().clone() for name, value in values.items()}
    # Gradients are recorded again: an answer may compute what it returns by autograd.
    again = _named(function(*map(unshared, case.inputs.values())), returns) or {}
    return _alike(before, again)


def _alike(before: Mapping[str, Tensor], again: Mapping[str, Tensor]) -> bool:
    return before.keys() == again.keys() and all(
        value.shape == again[name].shape
        and (
            torch.equal(value, again[name])  # mostly, and in a tenth of the time
            or torch.allclose(
                value.double(), again[name].detach().double(), rtol=1e-4, atol=1e-6, equal_nan=True
            )
        )
        for name, value in before.items()
    )


def _too_much(case: Case, memory: LiveNumbers | None, work: Products | None) -> str:
    if memory and case.most_numbers is not None and memory.most > case.most_numbers:
        shape = " by ".join(map(str, memory.largest))
        return (
            f"holds {memory.most:,} numbers at once beside its inputs; "
            f"its largest tensor is {shape}"
        )
    if work and case.most_products is not None and work.made > case.most_products:
        return f"makes {work.made:,} multiplications"
    if work and work.made < case.least_products:
        return f"makes {work.made:,} multiplications, fewer than it should"
    return ""


def _copied(value: Value, gradients: bool) -> Value:
    if not isinstance(value, Tensor):
        return value
    copy = value.detach().clone()
    return copy.requires_grad_() if gradients and copy.is_floating_point() else copy


def _same(after: Value, before: Value) -> bool:
    if isinstance(after, LanguageModel) and isinstance(before, LanguageModel):
        return _same(after.table, before.table)
    if isinstance(after, Tensor) and isinstance(before, Tensor):
        return (after.dtype, after.shape) == (before.dtype, before.shape) and (
            torch.equal(after, before)
            or torch.allclose(after.detach(), before, rtol=0, atol=0, equal_nan=True)
        )
    return after == before


def _named(returned: Any, returns: tuple[str, ...]) -> dict[str, Tensor] | None:
    """Name what was returned; None if that is nothing."""
    if returned is None:
        return None
    parts = (returned,) if len(returns) == 1 else returned
    if not isinstance(parts, tuple | list) or len(parts) != len(returns):
        count = len(parts) if isinstance(parts, tuple | list) else 1
        raise TypeError(
            f"the answer returned {count} value{'s' * (count != 1)}; "
            f"expected {len(returns)}: {', '.join(returns)}"
        )
    return {name: _tensor(name, part) for name, part in zip(returns, parts, strict=True)}


def _tensor(name: str, part: Any) -> Tensor:
    if isinstance(part, tuple) and any(one is None or isinstance(one, Tensor) for one in part):
        raise TypeError(
            f"{name} is a tuple of {len(part)}; expected one tensor: one of them, or all in one"
        )
    if isinstance(part, list) and part and isinstance(part[0], Tensor):
        part = torch.stack(part)
    if isinstance(part, np.ndarray):  # torch refuses foreign byte orders, and negative strides:
        # `asarray` would leave those of a single row as they are.
        part = np.array(part, dtype=part.dtype.newbyteorder("="), order="C")
    if isinstance(part, int | float | list | tuple | np.ndarray | np.generic):
        try:
            part = torch.as_tensor(part)
        except (ValueError, TypeError, RuntimeError) as error:
            kind = type(part).__name__
            raise TypeError(
                f"{name} is a {kind} whose parts are unequal in length or in kind; "
                "expected one tensor, or numbers that make one"
            ) from error
    if not isinstance(part, Tensor):
        raise TypeError(
            f"{name} is a {type(part).__name__}; expected a tensor, or numbers that make one"
        )
    odd = part.is_meta or part.is_nested or part.is_complex() or part.is_quantized
    if part.layout != torch.strided or odd:
        raise TypeError(
            f"{name} is a {part.layout} tensor of {part.dtype} on {part.device}; "
            "expected a plain one of real numbers"
        )
    if part.numel() > MOST_NUMBERS:
        raise TypeError(f"{name} has shape {tuple(part.shape)}; expected far fewer numbers")
    return part.cpu()


def _gradients(values: Mapping[str, Tensor], given: Mapping[str, Value]) -> dict[str, Tensor]:
    leaves = {n: v for n, v in given.items() if isinstance(v, Tensor) and v.is_floating_point()}
    if frozen := next((name for name, leaf in leaves.items() if not leaf.requires_grad), None):
        raise RuntimeError(f"{frozen} records no gradient: was its `requires_grad` switched off?")
    first, *_ = values
    if not values[first].requires_grad:
        raise RuntimeError(
            f"no gradient reaches the inputs from {first}: was it computed under `no_grad`, "
            "detached, or made anew, as by `torch.tensor`, `item` or NumPy?"
        )
    # Of sums: given another gradient than 1, PyTorch first loads SymPy, for a second.
    sums = [_unevenly(value) for value in values.values() if value.requires_grad]
    gradients = torch.autograd.grad(sums, list(leaves.values()), materialize_grads=True)
    return {f"gradient of {name}": g for name, g in zip(leaves, gradients, strict=True)}


def _unevenly(value: Tensor) -> Tensor:
    """A sum in which each number counts differently, as all numbers of a softmax sum to one."""
    return (value * torch.arange(value.numel(), dtype=value.dtype).cos().view(value.shape)).sum()


def _in_a_kernel(error: BaseException) -> BaseException:
    """What was raised inside a Triton kernel, which Triton's interpreter wraps."""
    wrapped = type(error).__name__ == "InterpreterError" and error.__cause__
    return wrapped or error


def _own_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """Where the error passed through the learner's own code, the innermost place last."""
    # Frames in these are the course's or Python's.
    others = (*map(str, course().folders), os.path.dirname(os.__file__))
    return [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "site-packages" not in frame.filename and not frame.filename.startswith(others)
    ]


def _one_line(error: BaseException) -> str:
    """Say what was raised, and on which line of the learner's own code."""
    try:
        kind, place = type(error).__name__, _place(error)
        message = (_words(error).strip() or kind).splitlines()[0]
    except BaseException:  # a learner's exception may be broken itself
        return "an error without a name"
    return f"{kind}: {message}" + (f" ({place})" if place else "")


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:
        return "an error without words"


def _place(error: BaseException) -> str:
    """Name the innermost line of the learner's own code that the error passed through."""
    own = _own_frames(error)
    if not own:
        return ""
    line = linecache.getline(own[-1].filename, own[-1].lineno or 0).strip()
    return f"in {own[-1].name}, line {own[-1].lineno}: {line}" if line else ""


def _watched(
    forbidden: frozenset[str] | None, allowed: tuple[str, ...], alone: bool
) -> AbstractContextManager[list[str]]:
    return nullcontext([]) if forbidden is None else watch(forbidden, allowed, alone)


def _uncompiled() -> AbstractContextManager[Any]:
    """Run what ``torch.compile`` has made as it was written: to compile it takes too long."""
    if "torch._dynamo" not in sys.modules:
        return nullcontext()
    return torch.compiler.set_stance("force_eager")
