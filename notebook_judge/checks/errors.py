"""Say an error of PyTorch in the words of the exercise."""

import re
from collections.abc import Iterator

from torch import Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check

# What PyTorch says => what is said of it; {size[2]} is the second number and what it stands for.
_PRODUCT = (
    "a matrix product does not fit: the left one has {size[%d]} columns, the right one "
    "{size[%d]} rows"
)
_SAID = {
    r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)": _PRODUCT % (2, 3),
    r"first two dimensions of batch2 tensor to be: \[\d+, (\d+)\] but got: \[\d+, (\d+)\]": (
        _PRODUCT % (1, 2)
    ),
    r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) .*dimension (\d+)": (
        "{size[1]} beside {size[2]} along axis {found[3]}: they do not line up"
    ),
    r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) "
    r".*dimension (\d+)": "{size[2]} numbers into {size[1]} places along axis {found[3]}",
    r"must match except in dimension (\d+)\. Expected size (\d+) but got size (\d+)": (
        "tensors are joined along axis {found[1]}, but elsewhere they differ: "
        "{size[2]} beside {size[3]}"
    ),
    r"Dimension out of range \(.*\[-1, \d+\], but got (-?\d+)\)": (
        "axis {found[1]} is asked for, of a tensor that has one axis"
    ),
    r"Dimension out of range \(.*\[-(\d+), \d+\], but got (-?\d+)\)": (
        "axis {found[2]} is asked for, of a tensor that has {found[1]} axes"
    ),
    r"expected sequence of length (\d+) at dim \d+ \(got (\d+)\)": (
        "rows of {found[1]} and of {found[2]} are to make one tensor: fill up the shorter"
    ),
    r"shape '(\[.*?\])' is invalid for input of size (\d+)": (
        "{found[2]} numbers cannot be arranged as {found[1]}"
    ),
    r"tensor to be equal size, but got (\[.*?\]) at entry 0 and (\[.*?\]) at entry (\d+)": (
        "stack needs pieces of one shape: piece 0 is {found[1]}, piece {found[3]} is {found[2]}"
    ),
    r"shape of the mask (\[.*?\]) .*does not match the shape of the indexed tensor (\[.*?\])": (
        "an index of shape {found[1]} is not broadcast to a tensor of shape {found[2]}"
    ),
    r"output with shape (\[.*?\]) doesn't match the broadcast shape (\[.*?\])": (
        "a tensor of shape {found[1]} cannot take in place a result of shape {found[2]}"
    ),
}
_OVERWRITTEN = "needed for gradient computation has been modified by an inplace operation"
# "query (..., queries, d_head)" in the docstring of a solution.
_AXES = re.compile(r"`?(\w+)`?(?: (?:is|are|and \w+))? \(([^()]*,[^()]*)\)")


def in_words(check: Check, case: Case, error: str) -> tuple[str, str]:
    """Return what happened and what to try.

    Args:
        check: the exercise, whose docstring names the axes.
        case: with what it happened, which tells sizes apart.
        error: the line that was raised, with its place.
    """
    place = re.search(r" \(in .*\)$", error)
    where = place.group() if place else ""
    names, happened = _sizes(check, case), f"It happened with: {case.label}."

    def size(number: str) -> str:
        known = " or ".join(names.get(int(number), [])) if number.isdigit() else ""
        return f"{number} ({known})" if known else number

    for pattern, says in _SAID.items():
        if found := re.search(pattern, error):
            said = says.format(found=found, size=["", *map(size, found.groups())])
            return said + where, f"{happened} Write the shape behind each line."
    if _OVERWRITTEN in error:
        says = "numbers that the gradient still needs were overwritten in place"
        return says + where, "Which operation ends in _, or assigns into a tensor? Make a new one."
    return error, happened


def _sizes(check: Check, case: Case) -> dict[int, list[str]]:
    """What the sizes of a case stand for, such as ``{3: ["source tokens"]}``."""
    names: dict[int, list[str]] = {}
    for name, number in _named_sizes(check, case):
        held = names.setdefault(number, [])
        if number > 1 and name not in held:
            held.append(name)
    return names


def _named_sizes(check: Check, case: Case) -> Iterator[tuple[str, int]]:
    given = {**case.inputs, **(case.build.config if case.build else {})}
    for name, value in given.items():
        if type(value) is int:
            yield name, value
    for name, axes in _AXES.findall(check.text.text):
        value, parts = given.get(name), [part.strip() for part in axes.split(",")]
        if isinstance(value, Tensor) and len(parts) == value.dim():
            yield from zip(parts, value.shape, strict=True)
