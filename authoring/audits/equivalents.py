"""Changes of a solution that do the same, by what kind of change they are.

A mutant that passes all cases shows a hole, unless it does what the solution does. Here stand the
reasons for which it does so in any exercise; those of a single one are in ``reasons/``.
"""

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from authoring.audits.audit import all_cases, arguments
from authoring.audits.mutants import Mutant
from notebook_judge.checks.cases import Value
from notebook_judge.checks.exercise import Check

SEEDS = range(4)
# Over another axis these give something else, so that what passes went over the same.
_TAKE_AXES = {
    *("amax", "argmax", "cat", "chunk", "cumprod", "cumsum", "flatten", "log_softmax", "max"),
    *("mean", "norm", "softmax", "sum", "topk", "transpose"),
}
# The axis that these take where none is given.
_DEFAULT_AXES = {"cat": "0", "chunk": "0", "topk": "-1", "sort": "-1", "argsort": "-1"}
_GUARD = r"(masked_fill|where)\(\w+ == (0|-torch\.inf|-float\(\"inf\"\)), "


def _strict(check: Check, mutant: Mutant) -> bool:
    """``strict`` refuses what the exercise does not give: lists that are not equally long."""
    alike = mutant.before.replace(", strict=True", "") == mutant.after
    return alike or mutant.around[:1] == ("strict=True",)


def _default_axis(check: Check, mutant: Mutant) -> bool:
    """The axis is the one that the function takes where none is given."""
    axis = _DEFAULT_AXES.get(_called(mutant.before))
    return mutant.after in (
        mutant.before.replace(f", dim={axis}", ""),
        mutant.before.replace(f"dim={axis}, ", ""),
    )


def _number(check: Check, mutant: Mutant) -> bool:
    """A tensor of one whole number, or a truth, is as good as the number."""
    return mutant.before == f"int({mutant.after})"


def _dtype(check: Check, mutant: Mutant) -> bool:
    """All numbers are float32, the default."""

    def without(text: str) -> str:
        return re.sub(r"\.to\((\w+\.dtype)?\)|(, dtype=)?\w+\.dtype", "", text)

    of_another = mutant.around[:1] == (f"{mutant.before}.dtype",)
    alike = of_another or without(mutant.before) == without(mutant.after)
    kinds = {value.dtype for value in _tensors(check) if value.is_floating_point()}
    return alike and kinds <= {torch.float32}


def _least(check: Check, mutant: Mutant) -> bool:
    """Nothing is less than -inf, and no sum of exponentials less than 0."""
    least = re.fullmatch(r".* == -(torch\.inf|float\(\"inf\"\))|total == 0", mutant.before)
    return bool(least) and mutant.after == mutant.before.replace("==", "<=")


def _stand_in(check: Check, mutant: Mutant) -> bool:
    """0 divided by a number is 0, and -inf less one is -inf: any stands in as well."""
    around = mutant.around[0] if mutant.kind == "constant" and mutant.around else ""
    guard = re.search(_GUARD + re.escape(mutant.before), around)
    return bool(guard) and float(mutant.after) != 0


def _absolute(check: Check, mutant: Mutant) -> bool:
    """An absolute value has no sign."""
    return mutant.kind == "sides exchanged" and mutant.around[:1] == (f"({mutant.before}).abs",)


def _equal_sizes(check: Check, mutant: Mutant) -> bool:
    """Sizes that are equal in all cases: the audit of inputs asks whether they must be."""
    one, other = mutant.before, mutant.after
    if mutant.kind != "another argument":
        return False
    read = re.match(
        rf"{one}\.(shape)\n({one}\.shape\[(-?\d)\])?|len\({one}\)\n",
        "".join(f"{text}\n" for text in mutant.around),
    )
    pairs = [(given[one], given[other]) for given in _given(check) if {one, other} <= given.keys()]

    def size(value: Any) -> Any:
        assert read
        return value.shape[int(read[3])] if read[3] else value.shape if read[1] else len(value)

    return bool(read and pairs) and all(size(a) == size(b) for a, b in pairs)


def _likeness(check: Check, mutant: Mutant) -> bool:
    """Only a shape is taken, or only the dtype of what stays empty until it is appended to."""
    shape = any(_called(text).endswith("_like") for text in mutant.around)
    if mutant.kind == "constant":
        return shape and any(re.fullmatch(r"\w+\[\.\.\., 0\]", text) for text in mutant.around)
    empty = re.match(
        rf"{re.escape(mutant.before)}\.new_zeros\(.*\b0\b", "".join(mutant.around[1:2])
    )
    return mutant.kind == "another argument" and bool(empty)


def _axis(check: Check, mutant: Mutant) -> bool:
    """The number of axes is fixed: one counted from the left is one counted from the right."""
    if not re.fullmatch(r"-?\d \(?-?\d\)?", f"{mutant.before} {mutant.after}"):
        return False
    around = [text for text in mutant.around if not re.fullmatch(r"-\d", text)]
    near = around[0] if around else ""
    axis = (
        near.startswith("dim=")
        or _called(near) in _TAKE_AXES
        or bool(re.fullmatch(r"\w+\.shape\[-\d\]", near))
    )
    return axis and _axes_are_fixed(check)


RULES: tuple[Callable[[Check, Mutant], bool], ...] = (
    _strict,
    _default_axis,
    _number,
    _dtype,
    _least,
    _stand_in,
    _absolute,
    _equal_sizes,
    _likeness,
    _axis,
)


def same(check: Check, mutant: Mutant) -> bool:
    """Whether a mutant that passes all cases does what the solution does, by one of the rules."""
    return any(rule(check, mutant) for rule in RULES)


def _called(text: str) -> str:
    """The name of the function that an expression calls; empty where it calls none."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:  # a keyword, or a slice
        return ""
    match tree:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name
    return ""


def _given(check: Check) -> Iterator[dict[str, Value]]:
    return map(arguments, all_cases(check, SEEDS))


def _tensors(check: Check) -> Iterator[Tensor]:
    for given in _given(check):
        yield from (value for value in given.values() if isinstance(value, Tensor))


def _axes_are_fixed(check: Check) -> bool:
    """Whether the text leaves no axes open, and every case has as many."""
    axes: dict[str, set[int]] = {}
    for given in _given(check):
        for name, value in given.items():
            if isinstance(value, Tensor):
                axes.setdefault(name, set()).add(value.dim())
    return "(..." not in check.text.text and all(len(seen) == 1 for seen in axes.values())
