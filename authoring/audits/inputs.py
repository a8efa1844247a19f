"""What never varies among the cases of an exercise.

Found are: an argument, a size, a setting that is the same in all cases; sizes that are always
equal, or always in one relation, though the solution takes others; ids with no token below or none
above them; masks that never differ along an axis; counts and lengths that are never 1. Each is
mended by a case, or its reason is written in ``reasons/``.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from authoring.audits.audit import Audit, Report, all_cases, arguments
from authoring.audits.kinds import not_of_kind
from authoring.audits.reasons import reasons, unexplained
from notebook_judge.checks.calls import call
from notebook_judge.checks.cases import Build, Case, LanguageModel, Value
from notebook_judge.checks.clock import Clock
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue import CHECKS

SEEDS = range(4)
TRIED = 3  # cases in which sizes are made to differ
MOST_TIED = 8  # sizes that are always equal: their parts are tried one by one
WIDTHS = ("w_", "weight", "table", "matrix")  # beginnings of names whose axes are all widths
RELATIONS: dict[str, Callable[[int], int]] = {
    "{}²": lambda size: size * size,
    "2 · {}": lambda size: 2 * size,
    "3 · {}": lambda size: 3 * size,
    "4 · {}": lambda size: 4 * size,
    "{} + 1": lambda size: size + 1,
    "{} + 2": lambda size: size + 2,
}


def facts(case: Case) -> dict[str, Value]:
    """Everything of a case that may be the same in all: its sizes, numbers and settings."""
    found: dict[str, Value] = {}
    for name, value in arguments(case).items():
        if isinstance(value, Tensor):
            found |= {f"{name}.shape[{axis}]": value.shape[axis] for axis in range(-value.dim(), 0)}
        elif isinstance(value, list):
            found[f"len({name})"] = len(value)
        elif isinstance(value, LanguageModel):
            found[f"vocabulary of {name}"] = value.table.shape[-1]
        else:
            found[name] = value
    return found | ({"training": case.build.training} if case.build else {})


def findings(check: Check) -> Iterator[str]:
    """All that never varies, in words."""
    cases = all_cases(check, SEEDS)
    described = [facts(case) for case in cases]
    groups: dict[tuple[Value, ...], list[str]] = {}
    for fact in dict.fromkeys(itertools.chain.from_iterable(described)):
        groups.setdefault(tuple(one.get(fact) for one in described), []).append(fact)
    for values, members in groups.items():
        seen = [value for one, value in zip(described, values, strict=True) if members[0] in one]
        if len(set(seen)) == 1 and not _broadcast(members, cases):
            yield f"{' = '.join(members)} is always {seen[0]}"
        elif _whole(seen):
            for part in _separable(check, cases, members):
                yield f"{' = '.join(part)} always equals {_first_other(members, part)}"
    yield from _related(check, cases, groups)
    yield from _never_one(cases, groups)
    yield from _ids(cases)
    yield from _masks(cases)


def _whole(values: Sequence[Value]) -> bool:
    return all(type(value) is int for value in values)


def _broadcast(members: Sequence[str], cases: Sequence[Case]) -> bool:
    """Whether these are axes of size 1 of masks, which stand for all heads or queries."""
    names = {member.split(".shape")[0] for member in members}
    values = [arguments(case).get(name) for case in cases for name in names]
    return all(isinstance(v, Tensor) and v.dtype == torch.bool for v in values if v is not None)


def _first_other(members: Sequence[str], part: Sequence[str]) -> str:
    return next(member for member in members if member not in part)


def _separable(check: Check, cases: Sequence[Case], members: list[str]) -> Iterator[list[str]]:
    """The smallest parts of sizes, always equal, that the solution lets grow alone."""
    found = set[str]()
    if len(members) > MOST_TIED:
        return
    for count in range(1, len(members) // 2 + 1):
        for part in itertools.combinations(members, count):
            if not found & set(part) and _may_grow(check, cases, part):
                found |= set(part if 2 * count < len(members) else members)
                yield [*part]


def _may_grow(check: Check, cases: Sequence[Case], part: Sequence[str]) -> bool:
    """Whether the solution takes a case in which these sizes, and no others, are larger by 1."""
    whole = [case for case in cases if all((facts(case).get(fact) or 0) > 1 for fact in part)]  # type: ignore[operator]
    return any(_taken(check, grown(check, case, part)) for case in whole[:TRIED])


def _taken(check: Check, case: Case | None) -> bool:
    return case is not None and call(check.right, case, check.returns, clock=Clock(1.0)).answered


def grown(check: Check, case: Case, part: Sequence[str]) -> Case | None:
    """The case with some sizes and numbers larger by 1; None if no module can be made so."""
    inputs = {name: _grown(name, value, part) for name, value in case.inputs.items()}
    if not case.build:
        return replace(case, inputs=inputs, gradients=False)
    config = {name: _grown(name, value, part) for name, value in case.build.config.items()}
    try:
        module = check.right(**config)
    except Exception:  # these sizes do not go together
        return None
    weights = {name: torch.ones_like(weight) for name, weight in module.named_parameters()}
    return replace(case, inputs=inputs, gradients=False, build=Build(config, weights))


def _grown(name: str, value: Value, part: Sequence[str]) -> Value:
    if isinstance(value, Tensor):
        for axis in range(-value.dim(), 0):
            if f"{name}.shape[{axis}]" in part:
                value = torch.cat([value, value.narrow(axis, 0, 1)], dim=axis)
        return value
    if isinstance(value, list) and f"len({name})" in part:
        return [*value, value[-1]]
    return value + 1 if isinstance(value, int) and name in part else value


def _related(
    check: Check, cases: Sequence[Case], groups: Mapping[tuple[Value, ...], list[str]]
) -> Iterator[str]:
    """Sizes that are always in one relation, though the solution lets one grow alone."""
    varied = {v: m for v, m in groups.items() if _whole(v) and len(set(v)) > 1}
    for (ones, one), (others, other) in itertools.permutations(varied.items(), 2):
        for words, relation in RELATIONS.items():
            always = all(relation(a) == b for a, b in zip(ones, others, strict=True))  # type: ignore[arg-type]
            if always and _may_grow(check, cases, other):
                yield f"{other[0]} is always {words.format(one[0])}"


def _never_one(
    cases: Sequence[Case], groups: Mapping[tuple[Value, ...], list[str]]
) -> Iterator[str]:
    """Counts that are never 1; of sizes the audit of conditions asks it."""
    for values, members in groups.items():
        seen = {*values} - {None}
        counts = [one for one in members if one.isidentifier() and not _width(one, cases)]
        if counts and len(seen) > 1 and _whole([*seen]) and 1 not in seen:
            yield f"{' = '.join(counts)} is never 1"


def _width(fact: str, cases: Sequence[Case]) -> bool:
    """Whether a fact is an id, or a number of features: of these one is no case of its own."""
    name = fact.split(".shape")[0]
    if fact.endswith(("_id", "_word")) or name.startswith(("d_", "vocab", *WIDTHS)):
        return True
    value = (
        next(arguments(case)[name] for case in cases if name in arguments(case))
        if (".shape" in fact)
        else None
    )
    return isinstance(value, Tensor) and value.is_floating_point() and fact.endswith("[-1]")


def _ids(cases: Sequence[Case]) -> Iterator[str]:
    """Ids that no token is below, or none above, in the same case."""
    names = {name for case in cases for name in case.inputs if name.endswith("_id")}
    for name in sorted(names):
        pairs = [(case.inputs[name], _tokens(case)) for case in cases if name in case.inputs]
        for words, beyond in (("below", min), ("above", max)):
            if all(not tokens or beyond([*tokens, id]) == id for id, tokens in pairs):  # type: ignore[type-var]
                yield f"no token is ever {words} {name}"


def _tokens(case: Case) -> list[int]:
    found: list[int] = []
    for value in case.inputs.values():
        if isinstance(value, Tensor) and value.dtype == torch.int64:
            found += value.flatten().tolist()
        elif isinstance(value, LanguageModel):
            found += range(value.table.shape[-1])
        elif isinstance(value, list):
            found += _flat(value)
    return found


def _flat(values: list[Any]) -> list[int]:
    nested = [_flat(v) if isinstance(v, list) else [v] for v in values]
    return [v for part in nested for v in part]


def _masks(cases: Sequence[Case]) -> Iterator[str]:
    """Masks that never differ along an axis."""
    masks: dict[str, list[Tensor]] = {}
    for case in cases:
        for name, value in case.inputs.items():
            if isinstance(value, Tensor) and value.dtype == torch.bool:
                masks.setdefault(name, []).append(value)
    for name, values in masks.items():
        for axis in range(-max(mask.dim() for mask in values), 0):
            long = [mask for mask in values if mask.dim() >= -axis and mask.shape[axis] > 1]
            if all((mask == mask.narrow(axis, 0, 1)).all() for mask in long):
                yield f"{name} never differs along axis {axis}"


def examine(name: str) -> Report:
    """Look at the cases of one exercise."""
    check = CHECKS[name]
    found = set() if check.rubric else set(findings(check))
    left = not_of_kind(check, SEEDS, found)
    return Report({"found": len(found)}, unexplained(left, reasons("inputs", name)))


AUDIT = Audit("inputs", SEEDS, examine)
