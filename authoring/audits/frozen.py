"""Answers that do not read an argument, or not whole, and pass.

Each argument of a solution is replaced, in all cases, by each value that it has in one of them, by
another argument, by zeros or ones, by its own first slice along each axis, and by what is ordinary
in it (``ordinary.py``). What passes then shows that no case needs the argument as it is. It is
mended by a case, or its reason is written in ``reasons/``.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from authoring.audits.audit import Audit, Report, all_cases
from authoring.audits.kinds import not_of_kind
from authoring.audits.ordinary import Narrowing, narrowings
from authoring.audits.own_process import apart
from authoring.audits.reasons import reasons, unexplained
from notebook_judge.checks.calls import call
from notebook_judge.checks.cases import Value
from notebook_judge.checks.clock import Clock
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.judge import is_right
from transformer_checks.catalogue import CHECKS

SEEDS = range(4)
SECONDS = 3.0
MOST_VALUES = 12  # of one argument, the commonest first

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Frozen:
    """An argument that is not read.

    Attributes:
        argument: its name.
        words: what stands in its place.
        value: makes it from all arguments.
    """

    argument: str
    words: str
    value: Callable[[Arguments], Any]

    def __str__(self) -> str:
        return f"{self.argument} {self.words}"

    def of(self, given: Mapping[str, Value]) -> Arguments:
        """The arguments with this one replaced."""
        arguments = dict(given)
        return arguments | {self.argument: self.value(arguments)}


def replacements(many: Sequence[Mapping[str, Value]]) -> list[Frozen]:
    """Everything that may stand in the place of an argument, from the arguments of all cases."""
    found: list[Frozen] = []
    for name in dict.fromkeys(name for arguments in many for name in arguments):
        values = [arguments[name] for arguments in many if name in arguments]
        plain = Counter(repr(v) for v in values if isinstance(v, int | float | str | None))
        by_words = {repr(value): value for value in values}
        for words, _ in plain.most_common(MOST_VALUES):
            found.append(Frozen(name, f"is always {words}", partial(_constant, by_words[words])))
        for other in many[0]:
            if other != name and _alike(many[0].get(name), many[0][other]):
                found.append(Frozen(name, f"is {other}", partial(_another, other)))
        found += [
            Frozen(name, words, partial(_narrowed, name, change))
            for words, change in narrowings(name, values)
        ]
        tensors = [value for value in values if isinstance(value, Tensor)]
        if tensors:
            found += [
                Frozen(name, f"is all {fill}", partial(_filled, name, fill)) for fill in (0, 1)
            ]
            for axis in range(-max(tensor.dim() for tensor in tensors), 0):
                words = f"is read at index 0 of axis {axis} alone"
                found.append(Frozen(name, words, partial(_first, name, axis)))
    return found


def _constant(value: Value, _: Arguments) -> Value:
    return value


def _another(other: str, given: Arguments) -> Any:
    return given[other]


def _narrowed(name: str, change: Narrowing, given: Arguments) -> Any:
    return change(given[name])


def _filled(name: str, fill: int, given: Arguments) -> Any:
    value = given[name]
    return torch.full_like(value, fill) if isinstance(value, Tensor) else value


def _first(name: str, axis: int, given: Arguments) -> Any:
    value = given[name]
    if not isinstance(value, Tensor) or value.dim() < -axis or not value.shape[axis]:
        return value
    return value.narrow(axis, 0, 1).expand_as(value)


def _alike(one: Value, other: Value) -> bool:
    return isinstance(one, Tensor | int | float | list) and type(one) is type(other)


def passes(check: Check, config: bool, frozen: Frozen) -> bool:
    """Whether the solution passes all cases without reading an argument of it."""
    for seed in SEEDS:
        for case in check.cases(seed):
            answer = _answer(check, [*case.inputs], config, frozen)
            if not is_right(check, case, call(answer, case, check.returns, clock=Clock(SECONDS))):
                return False
    return True


def _answer(check: Check, names: list[str], config: bool, frozen: Frozen) -> Callable[..., Any]:
    right = check.text.run()

    def function(*inputs: Any) -> Any:
        return right(*frozen.of(dict(zip(names, inputs, strict=True))).values())

    def built(**given: Any) -> nn.Module:
        module: nn.Module = right(**frozen.of(given)) if config else right(**given)
        if not config:
            module.register_forward_pre_hook(
                lambda _, inputs: tuple(frozen.of(dict(zip(names, inputs, strict=True))).values())
            )
        return module

    return built if isinstance(right, type) else function


def _all_replacements(check: Check) -> list[tuple[bool, Frozen]]:
    """What may stand in the place of an argument, and whether that is one of a constructor."""
    cases = all_cases(check, SEEDS)
    built = [case.build.config for case in cases if case.build]
    return [(False, one) for one in replacements([case.inputs for case in cases])] + [
        (True, one) for one in (replacements(built) if built else [])
    ]


def examine(name: str) -> Report:
    """Freeze all arguments of one exercise, one at a time."""
    check = CHECKS[name]
    made = _all_replacements(check)
    judged = apart(lambda one: passes(check, *one), made, False)
    passing = {str(frozen) for (_, frozen), passed in zip(made, judged, strict=True) if passed}
    return Report(
        {"noticed": len(made) - len(passing), "not": len(passing)},
        []
        if check.rubric
        else unexplained(not_of_kind(check, SEEDS, passing), reasons("frozen", name)),
    )


def tried(name: str) -> list[str]:
    """What stands in the place of the arguments of an exercise, in words."""
    return [str(frozen) for _, frozen in _all_replacements(CHECKS[name])]


AUDIT = Audit("frozen", SEEDS, examine, tried)
