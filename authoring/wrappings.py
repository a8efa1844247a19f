"""A right answer in other wrappings: what a check must accept, whatever an answer is made of.

Each takes a right answer, a function or a class of modules, and makes another that is as right:
called in another way, computed in another way, or returned in another form. None knows an exercise;
``_EXCEPT`` says where one is not tried, and why. None is compiled: the compiler takes seconds to
load, and loads Triton, whose interpreter must have been asked for before.
"""

from collections.abc import Callable, Iterator
from copy import copy
from functools import partial, wraps
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.memory import Operators

Answer = Callable[..., Any]
# Calls a function, or a module's own forward, with arguments, and returns what it returns.
Around = Callable[[Answer, tuple[Any, ...]], Any]


def wrapped(
    check: Check, answer: Answer, cases: list[Case], *, in_all: bool = True
) -> Iterator[tuple[str, Answer, list[Case]]]:
    """Yield the answer in the wrappings that the exercise permits.

    Args:
        check: the exercise.
        answer: what is right.
        cases: those that it may be called with.
        in_all: whether also in those whose verdict the numbers of a case do not change.

    Yields:
        The name of the wrapping, the answer in it, and the cases that it is tried on.
    """
    # A limit is for what the answer itself holds and computes.
    free = [case for case in cases if case.most_numbers is None and case.most_products is None]
    if free and check.name not in _GROWS:
        yield "rounded otherwise", _put_around(answer, _rounded), free
    if not free or not in_all:
        return
    first = list({case.gradients: case for case in reversed(free)}.values())
    for name, way in _CALLED[isinstance(answer, type)].items():
        yield name, way(answer), first
    for name, around in _AROUND.items():
        if not any(applies(check) for applies in _EXCEPT.get(name, ())):
            yield name, _put_around(answer, around), first


def _put_around(answer: Answer, around: Around) -> Answer:
    if not isinstance(answer, type):
        return lambda *given: around(answer, given)

    class Wrapped(answer):  # type: ignore[misc, valid-type]
        def forward(self, *given: Any) -> Any:
            inner = copy(self)  # which holds the same parameters
            inner.__class__ = answer  # type: ignore[assignment]
            return around(inner, given)

    return Wrapped


# What is called.


class _Object:
    """It keeps what it has returned, and takes more than it needs."""

    def __init__(self, answer: Answer) -> None:
        self._answer, self.last = answer, None

    def __call__(self, *given: Any, verbose: bool = False) -> Any:
        self.last = self._answer(*given)
        return self.last

    def method(self, *given: Any) -> Any:
        return self(*given)


class _Module(nn.Module):
    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self._answer = answer

    def forward(self, *given: Any) -> Any:
        return self._answer(*given)


def _decorated(answer: Answer) -> Answer:
    @wraps(answer)
    def function(*given: Any, **named: Any) -> Any:
        return answer(*given, **named)

    return function


def _subclass(answer: Any) -> Answer:
    class Richer(answer):
        """With an option, a part and a buffer that the exercise does not name."""

        def __init__(self, *given: Any, verbose: bool = False, **named: Any) -> None:
            super().__init__(*given, **named)
            self.rest, self.last, self.verbose = nn.Dropout(), None, verbose
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, *given: Any) -> Any:
            self.last = super().forward(*given)
            return self.last

    return Richer


# By whether the answer is a class.
_CALLED: dict[bool, dict[str, Callable[[Answer], Answer]]] = {
    False: {
        "an object that is called": _Object,
        "a method": lambda answer: _Object(answer).method,
        "a partial": lambda answer: partial(lambda function, *given: function(*given), answer),
        "a module's instance": _Module,
        "decorated": _decorated,
    },
    True: {
        "a function that makes it": lambda answer: lambda **config: answer(**config),
        "a partial": partial,
        "a subclass with more in it": _subclass,
    },
}


# How it computes.


def _in_float64(function: Answer, given: tuple[Any, ...]) -> Any:
    dtype = next((value.dtype for value in given if _is_float(value)), torch.float32)
    wide = tuple(map(_double, given))
    if isinstance(function, nn.Module):
        parameters = {name: part.double() for name, part in function.named_parameters()}
        returned = functional_call(function, parameters, wide, tie_weights=False)
    else:
        returned = function(*wide)
    return _each(lambda result: result.to(dtype) if _is_float(result) else result, returned)


def _is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _double(value: Any) -> Any:
    if callable(value) and not isinstance(value, Tensor):  # a language model
        return lambda tokens: value(tokens).double()
    return value.double() if _is_float(value) else value


class _LastBit(Operators):
    """Turns the last bit of each number that was rounded; what is whole is exact in any order."""

    def run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made = func(*args, **kwargs)
        if func.overloadpacket.__name__ not in _ROUND or made.dtype != torch.float32:
            return made
        turned = (made.view(torch.int32) ^ 1).view(torch.float32)
        return torch.where(made.isfinite() & (made != made.round()), turned, made)


_ROUND = {
    *("mm", "bmm", "addmm", "baddbmm", "mv", "dot", "sum", "mean", "exp", "exp2", "log", "sqrt"),
    *("rsqrt", "div", "pow", "sin", "cos", "_softmax", "_log_softmax", "logsumexp"),
}


# Where a turned bit grows to more than another order of sums gives: in angles of far positions, in
# large scores that an answer computes twice, in a training.
_GROWS = {
    *("positions.rotary", "decoder.cross_attention", "flash.tiled_forward", "training.repaired")
}


def _rounded(function: Answer, given: tuple[Any, ...]) -> Any:
    """With other rounding, as of sums in another order."""
    with _LastBit():
        return function(*given)


def _thrice(function: Answer, given: tuple[Any, ...]) -> Any:
    function(*given), function(*given)
    return function(*given)


def _on_copies(function: Answer, given: tuple[Any, ...]) -> Any:
    """On copies of its own; its result is one too, written in place."""
    copies = [value.clone() if isinstance(value, Tensor) else value for value in given]
    return _each(lambda result: torch.empty_like(result).copy_(result), function(*copies))


# In which form it returns.


def _each(change: Callable[[Tensor], Any], returned: Any) -> Any:
    if isinstance(returned, tuple | list):
        return type(returned)(_each(change, part) for part in returned)
    return change(returned) if isinstance(returned, Tensor) else returned


def _form(change: Callable[[Tensor], Any]) -> Around:
    return lambda function, given: _each(change, function(*given))


def _strided(result: Tensor) -> Tensor:
    return torch.stack((result, result), -1)[..., 1]


def _expanded(result: Tensor) -> Tensor:
    """What is equal along an axis stands in memory once."""
    for axis in range(result.dim()):
        one = result.narrow(axis, 0, min(1, result.shape[axis])).expand_as(result)
        result = one if torch.equal(one, result) else result
    return result


def _in_numpy(result: Tensor) -> Any:
    """A NumPy array that goes through its memory backwards."""
    return np.flip(np.flip(result.detach().numpy()).copy())


def _of_inference(result: Tensor) -> Tensor:
    """A tensor that autograd never accepts."""
    with torch.inference_mode():
        return result.clone()


def _recording(result: Tensor) -> Tensor:
    """As where a parameter of its own has gone in."""
    return result + torch.zeros((), requires_grad=True).to(result) if _is_float(result) else result


def _of_other_width(result: Tensor) -> Tensor:
    widths = {torch.float32: torch.float64, torch.int64: torch.int32}
    return result.to(widths.get(result.dtype, result.dtype))


def _in_rows(result: Tensor) -> Any:
    return list(result) if result.dim() and len(result) else result


def _exchanged(function: Answer, given: tuple[Any, ...]) -> Any:
    """A list in place of a tuple."""
    returned = function(*given)
    return list(returned) if isinstance(returned, tuple) else returned


_AROUND: dict[str, Around] = {
    "in float64": _in_float64,
    "computed three times": _thrice,
    "on copies": _on_copies,
    "strided": _form(_strided),
    "expanded": _form(_expanded),
    "in inference mode": _form(_of_inference),
    "in NumPy": _form(_in_numpy),
    "in numbers of Python": _form(Tensor.tolist),
    "in rows": _form(_in_rows),
    "recording gradients": _form(_recording),
    "of other width": _form(_of_other_width),
    "a list for a tuple": _exchanged,
}


def _asks_gradients(check: Check) -> bool:
    """A result without a gradient is wrong there, and the head of the notebook says so."""
    return any(case.gradients for case in check.cases(0))


_EXCEPT: dict[str, tuple[Callable[[Check], bool], ...]] = {
    "in inference mode": (_asks_gradients,),
    "in NumPy": (_asks_gradients, lambda check: "NumPy" in check.forbidden),
    "in numbers of Python": (_asks_gradients, lambda check: "numbers" in check.forbidden),
}
