"""What the wrong numbers of one case, or of several, have in common: a factor, a difference."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from notebook_judge.checks.cases import Case

Symptom = tuple[str, str] | None
Sample = tuple[Tensor, Tensor, Case]  # what came back, what should have, and the case

FEW = 3  # wrong cases of one number each: fewer may have a factor in common by chance


def as_code(name: str) -> str:
    """A value by its name, set as code: a name keeps its letters at the beginning of a sentence."""
    of = "gradient of "
    return f"the {of}`{name.removeprefix(of)}`" if name.startswith(of) else f"`{name}`"


def factor(
    name: str, got: Tensor, expected: Tensor, case: Case, others: Sequence[Sample]
) -> Symptom:
    """Find one factor between the two, and the size that it comes from in every case."""
    factor = _ratio(got, expected)
    if factor is None:
        return None
    headline = f"{as_code(name)} is {factor:.4g} times what it should be"
    ratios = [(factor, case)]
    for one, other, beside in others:
        if one.shape == other.shape and (ratio := _ratio(one.double(), other.double())):
            ratios.append((ratio, beside))
    if len({round(ratio, 4) for ratio, _ in ratios}) == 1 < len(ratios):
        return headline, "Which factor does the formula have at that place?"
    if words := _size(ratios):
        return f"{headline}: {words}", "Which factor does the formula have at that place?"
    return headline, "What would such a factor come from, and does it differ from case to case?"


def number(
    name: str, got: Tensor, expected: Tensor, others: Sequence[Sample], exact: bool
) -> Symptom:
    """One number: what it has to do with the right one shows in several cases alone."""
    single = [sample for sample in others if sample[0].numel() == sample[1].numel() == 1]
    pairs = [(one.item(), other.item()) for one, other, _ in single]
    if len(pairs) >= FEW and len({other for _, other in pairs}) > 1:
        ones, wanted = torch.tensor(pairs, dtype=torch.float64).unbind(dim=1)
        if len(single) == len(others) and close(ones, ones[0].expand_as(ones)):
            words = f"{as_code(name)} is {ones[0]:.4g} in every case that is wrong"
            return words, "What should it depend on?"
        if wanted.all() and not exact and (found := _multiple(name, ones / wanted, single)):
            return found
        apart = ones - wanted
        if close(apart, apart[0].expand_as(apart)):
            much = f"{apart[0].abs():.4g} too {'large' if apart[0] > 0 else 'small'}"
            return f"{as_code(name)} is {much}", "What was added, or left out?"
    one, other = told_apart(got.item(), expected.item(), 6)
    return (
        f"{as_code(name)} is {one}; expected {other}",
        "Work it out by hand for this case, and compare each step.",
    )


def told_apart(one: float, other: float, digits: int) -> tuple[str, str]:
    """Two numbers in so many digits, or in the fewest more in which they do not read the same."""
    if one.is_integer() and other.is_integer() and max(abs(one), abs(other)) < 1e15:
        return f"{one:.0f}", f"{other:.0f}"
    pairs = ((f"{one:.{more}g}", f"{other:.{more}g}") for more in range(digits, 18))
    return next((pair for pair in pairs if pair[0] != pair[1]), (str(one), str(other)))


def _multiple(name: str, ratios: Tensor, samples: Sequence[Sample]) -> Symptom:
    lead = "Which factor does the formula have at that place?"
    if close(ratios, ratios[0].expand_as(ratios)):
        return f"{as_code(name)} is {ratios[0]:.4g} times what it should be", lead
    cases = [case for _, _, case in samples]
    if words := _size([*zip(ratios.tolist(), cases, strict=True)]):
        return f"{as_code(name)} is {words} times what it should be", lead
    return None


def _ratio(got: Tensor, expected: Tensor) -> float | None:
    large = expected.abs() > 1e-6
    if not large.any() or got.numel() < 2:
        return None
    factor = (got[large] / expected[large]).median().item()
    if not math.isfinite(factor) or abs(factor) < 1e-9 or not close(got, factor * expected):
        return None
    return None if math.isclose(factor, 1, rel_tol=1e-5) else factor


def _size(ratios: Sequence[tuple[float, Case]]) -> str:
    """The size of an input that each of the factors comes from, in words; empty if none is."""
    for argument, value in ratios[0][1].inputs.items():
        for axis in range(-value.dim() if isinstance(value, Tensor) else 0, 0):
            for label, power in (("", 1.0), ("√", 0.5), ("1/", -1.0), ("1/√", -0.5)):
                if all(_is_size(*ratio, argument, axis, power) for ratio in ratios):
                    return f"{label}({argument}.shape[{axis}])"
    return ""


def _is_size(factor: float, case: Case, argument: str, axis: int, power: float) -> bool:
    value = case.inputs[argument]
    if not isinstance(value, Tensor) or value.dim() < -axis:
        return False
    size = value.shape[axis]
    return size > 1 and math.isclose(factor, size**power, rel_tol=1e-3)


def close(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one, other, rtol=1e-3, atol=1e-5)
