"""Conditions that an answer may depend on, and that no case meets.

An answer that is wrong only where an axis has size 1, or where two numbers tie, passes if no case
is so. Each condition must be met with every seed, or have its reason in ``reasons/``; what no case
of any exercise needs, the sentence ``GENERAL`` says in every notebook.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import torch
from torch import Tensor

from authoring.audits.audit import Audit, Report, all_cases, arguments
from authoring.audits.inputs import _width
from authoring.audits.kinds import not_of_kind
from authoring.audits.reasons import reasons, unexplained
from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue import CHECKS

SEEDS = range(4)
LARGE = 16  # lengths of lists
HIGH = 100  # ids and counts, where no table or logits are given that have a place for each
# Why no tensor must be empty, and why ids may be taken for int64.
GENERAL = (
    "In what you are given, ids, positions and counts in tensors are `torch.int64`. Unless the "
    "exercise says so, no tensor is empty and each is contiguous."
)
_SOLUTIONS = Path(__file__).parents[2] / "solutions"
# Beginnings of names whose axes are numbers of features, words or layers, and whose numbers are
# weights: they are in no order that an answer may look at.
_WEIGHTS = ("w_", "weight", "table", "matrix", "embedding", "output", "positions", "upstream")

_WORDS = ("logits", "model", "table", "embedding", "log_probabilities", "w_classes")


def findings(check: Check) -> Iterator[str]:
    """The conditions that some seed draws no case for, in words."""
    if GENERAL not in (_SOLUTIONS / f"{check.lesson}.ipynb").read_text("utf-8"):
        yield "its notebook does not say what no input is"
    cases = all_cases(check, SEEDS)
    wanted = {condition for case in cases for condition in _possible(case)}
    varied, told = _varied(cases), _first_of_equal(cases)
    always = set.intersection(*({w for c in check.cases(s) for w in _met(c)} for s in SEEDS))
    for condition in sorted(wanted - always):
        what, _, size = condition.partition(" is ")
        # Of widths 1 is a case of its own, for an axis that vanishes; a model's width is divided.
        counts = not _width(what, cases) or (size == "1" and not _divided(cases[0]))
        if what not in varied or (varied[what] and counts and what in told):
            yield f"{condition} in no case"


def _varied(cases: list[Case]) -> dict[str, bool]:
    """Whether a size varies and is none of a weight, by its name."""
    sizes: dict[str, set[int]] = {}
    for case in cases:
        for what, size in _sizes(case):
            sizes.setdefault(what, set()).add(size)
    return {what: len(seen) > 1 and not what.startswith(_WEIGHTS) for what, seen in sizes.items()}


def _first_of_equal(cases: list[Case]) -> set[str]:
    """One of those sizes that are the same in all cases: what is true of it is true of them."""
    given = [dict(_sizes(case)) for case in cases]
    first: dict[tuple[int | None, ...], str] = {}
    for what in dict.fromkeys(itertools.chain.from_iterable(given)):
        first.setdefault(tuple(sizes.get(what) for sizes in given), what)
    return set(first.values())


def _sizes(case: Case) -> Iterator[tuple[str, int]]:
    for name, value in arguments(case).items():
        if isinstance(value, Tensor):
            yield from ((f"{name}.shape[{at}]", value.shape[at]) for at in range(-value.dim(), 0))
        elif isinstance(value, list):
            yield f"len({name})", len(value)
            if value and all(isinstance(one, list) for one in value):
                yield f"the longest of {name}", max(map(len, value))


def _possible(case: Case) -> Iterator[str]:
    """What could be true of such a case."""
    if _head(case):
        yield "a head is 1 wide"
    for what, _ in _sizes(case):
        yield from (f"{what} is {size}" for size in ("1", "2", "3 or more"))
        if what.startswith("len("):
            yield f"{what} is large"
    for name, value in arguments(case).items():
        if isinstance(value, Tensor) and torch.isneginf(value).any():
            yield f"{name} is all -inf"
        if isinstance(value, Tensor) and value.dtype == torch.bool:
            yield from (f"{name} is all {truth}" for truth in (False, True))
        elif isinstance(value, Tensor | list) and not name.startswith(_WEIGHTS):
            yield f"{name} has a tie"
            if (_ids(value) or _whole(value)) and not _bounded(case):
                yield f"{name} has a large number"
    yield from (f"{one} equals {other}" for one, other, _ in _twins(case))


def _met(case: Case) -> Iterator[str]:
    """What is true of a case."""
    if _head(case) == 1:
        yield "a head is 1 wide"
    for what, size in _sizes(case):
        yield f"{what} is {size if size < 3 else '3 or more'}"
        if size >= LARGE:
            yield f"{what} is large"
    for name, value in arguments(case).items():
        if isinstance(value, Tensor) and torch.isneginf(value).all():
            yield f"{name} is all -inf"
        if _largest(value) >= HIGH:
            yield f"{name} has a large number"
        if isinstance(value, Tensor) and value.dtype == torch.bool:
            yield from (f"{name} is all {t}" for t in (False, True) if (value == t).all())
        elif isinstance(value, Tensor) and value.dim():
            ordered = value.sort(dim=-1).values
            if (ordered[..., 1:] == ordered[..., :-1]).any():
                yield f"{name} has a tie"
        elif isinstance(value, list) and any(a == b for a, b in itertools.combinations(value, 2)):
            yield f"{name} has a tie"
    yield from (f"{one} equals {other}" for one, other, equal in _twins(case) if equal)


def _divided(case: Case) -> bool:
    """Whether the width of the inputs is that of a model, or of several heads."""
    return bool(case.build) or not arguments(case).keys().isdisjoint(("num_heads", "d_head"))


def _head(case: Case) -> int:
    """How wide the heads are that the first input is split into; 0 if there are none."""
    heads, first = arguments(case).get("num_heads"), next(iter(case.inputs.values()))
    return first.shape[-1] // heads if isinstance(heads, int) and isinstance(first, Tensor) else 0


def _twins(case: Case) -> Iterator[tuple[str, str, bool]]:
    """Pairs of lists or of ids, which an answer may confuse, and whether they are equal here."""
    for (one, a), (other, b) in itertools.combinations(arguments(case).items(), 2):
        if isinstance(a, list) and isinstance(b, list) and _alike(a, b):
            yield one, other, a == b
        elif _ids(a) and _ids(b) and a.shape == b.shape:
            yield one, other, a.equal(b)


def _alike(a: list[Value], b: list[Value]) -> bool:
    return bool(a and b) and type(a[0]) is type(b[0])


def _whole(value: Value) -> bool:
    while isinstance(value, list) and value:
        value = value[0]
    return type(value) is int


def _bounded(case: Case) -> bool:
    return any(name.startswith(_WORDS) for name in arguments(case))


def _largest(value: Value) -> float:
    if isinstance(value, Tensor):
        return float(value.abs().max()) if value.numel() and value.dtype != torch.bool else 0.0
    if isinstance(value, list):
        return max(map(_largest, value), default=0.0)
    return abs(value) if isinstance(value, int | float) else 0.0


def _ids(value: Value) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and value.dtype == torch.int64


def examine(name: str) -> Report:
    """Look at the cases of one exercise; of an open one whatever reaches the last mark is right."""
    check = CHECKS[name]
    found = set() if check.rubric else set(findings(check))
    return Report(
        {"not met": len(found)},
        unexplained(not_of_kind(check, SEEDS, found), reasons("conditions", name)),
    )


AUDIT = Audit("conditions", SEEDS, examine)
