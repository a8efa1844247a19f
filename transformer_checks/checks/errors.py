"""Say an error of PyTorch in the words of the exercise."""

import re
from collections.abc import Iterator

from torch import Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check

_PRODUCT = re.compile(r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)")
_BATCHES = re.compile(
    r"Expected size for first two dimensions of batch2 tensor to be: \[\d+, (\d+)\] "
    r"but got: \[\d+, (\d+)\]"
)
_BESIDE = re.compile(
    r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) .*dimension (\d+)"
)
_INTO = re.compile(
    r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\) "
    r".*dimension (\d+)"
)
_JOINED = re.compile(
    r"must match except in dimension (\d+)\. Expected size (\d+) but got size (\d+)"
)
_AXIS = re.compile(r"Dimension out of range \(.*\[-(\d+), \d+\], but got (-?\d+)\)")
_RAGGED = re.compile(r"expected sequence of length (\d+) at dim \d+ \(got (\d+)\)")
_VIEW = re.compile(r"shape '(\[.*?\])' is invalid for input of size (\d+)")
_STACK = re.compile(
    r"stack expects each tensor to be equal size, but got (\[.*?\]) at entry 0 "
    r"and (\[.*?\]) at entry (\d+)"
)
_INDEXED = re.compile(
    r"shape of the mask (\[.*?\]) .*does not match the shape of the indexed tensor (\[.*?\])"
)
_IN_PLACE = re.compile(r"output with shape (\[.*?\]) doesn't match the broadcast shape (\[.*?\])")
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
    names = _sizes(check, case)

    def size(number: str) -> str:
        known = " or ".join(names.get(int(number), []))
        return f"{number} ({known})" if known else number

    if found := _PRODUCT.search(error):
        says = (
            f"a matrix product does not fit: the left one has {size(found[2])} columns, "
            f"the right one {size(found[3])} rows"
        )
    elif found := _BATCHES.search(error):
        says = (
            f"a matrix product does not fit: the left one has {size(found[1])} columns, "
            f"the right one {size(found[2])} rows"
        )
    elif found := _BESIDE.search(error):
        says = (
            f"{size(found[1])} beside {size(found[2])} along axis {found[3]}: they do not line up"
        )
    elif found := _INTO.search(error):
        says = f"{size(found[2])} numbers into {size(found[1])} places along axis {found[3]}"
    elif found := _JOINED.search(error):
        says = (
            f"tensors are joined along axis {found[1]}, but elsewhere they differ: "
            f"{size(found[2])} beside {size(found[3])}"
        )
    elif found := _AXIS.search(error):
        axes = "one axis" if found[1] == "1" else f"{found[1]} axes"
        says = f"axis {found[2]} is asked for, of a tensor that has {axes}"
    elif found := _RAGGED.search(error):
        says = f"rows of {found[1]} and of {found[2]} are to make one tensor: fill up the shorter"
    elif found := _VIEW.search(error):
        says = f"{found[2]} numbers cannot be arranged as {found[1]}"
    elif found := _STACK.search(error):
        unequal = f"piece 0 is {found[1]}, piece {found[3]} is {found[2]}"
        says = f"stack needs pieces of one shape: {unequal}"
    elif found := _INDEXED.search(error):
        says = f"an index of shape {found[1]} is not broadcast to a tensor of shape {found[2]}"
    elif found := _IN_PLACE.search(error):
        says = f"a tensor of shape {found[1]} cannot take in place a result of shape {found[2]}"
    elif _OVERWRITTEN in error:
        says = "numbers that the gradient still needs were overwritten in place"
        return says + where, "Which operation ends in _, or assigns into a tensor? Make a new one."
    else:
        return error, f"It happened with: {case.label}."
    return says + where, f"It happened with: {case.label}. Write the shape behind each line."


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
