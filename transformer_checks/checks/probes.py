"""Name the cause of a difference that no known slip explains.

A bare "not close" names nothing. Each probe looks for one pattern and returns a headline and
what to try, or None.
"""

import math

import torch
from torch import Tensor

from transformer_checks.checks.cases import Case

Finding = tuple[str, str] | None


def diagnose(name: str, got: Tensor, expected: Tensor, case: Case) -> Finding:
    """Return the first probe's finding.

    Args:
        name: what the values are called, such as ``"weights"``.
        got: what the answer returned.
        expected: what it should have returned, ``got.shape`` where only the numbers are wrong.
        case: the inputs, whose sizes may explain a factor.
    """
    if got.shape != expected.shape:
        return _shape(name, got, expected)
    if wrong := wrong_kind(got, expected):
        return f"{name} has dtype {got.dtype}; expected {wrong[0]}", wrong[1]
    if expected.dtype == torch.bool:
        return _boolean(name, got, expected)
    got, expected = got.double(), expected.double()
    for probe in (_not_finite, _transposed, _masked_leak, _rows, _divisor, _factor):
        if found := probe(name, got, expected, case):
            return found
    return None


def wrong_kind(got: Tensor, expected: Tensor) -> Finding:
    """What dtype was expected, and why, if another kind of number came.

    float64 will do for float32; so will whole numbers, whose values will tell.
    """
    if torch.bool in (got.dtype, expected.dtype):
        if got.dtype == expected.dtype:
            return None
        wanted = "torch.bool" if expected.dtype == torch.bool else "numbers"
        lead = "In this course masks are boolean, True = may attend; everything else is numbers."
        return wanted, lead
    if not got.numel() or not got.is_floating_point():
        return None  # torch chooses the dtype of an empty list itself
    if not expected.is_floating_point():
        lead = "Ids, indices and counts are whole numbers: only those can look something up."
        return "whole numbers, such as torch.int64", lead
    if torch.finfo(got.dtype).eps > 1e-4:
        lead = "Half precision keeps three digits. The inputs are float32: let the result be, too."
        return "torch.float32", lead
    return None


def _shape(name: str, got: Tensor, expected: Tensor) -> Finding:
    headline = f"{name} has shape {tuple(got.shape)}; expected {tuple(expected.shape)}"
    if sorted(got.shape) == sorted(expected.shape):
        return headline, "The axes are in another order than the exercise asks for."
    if got.numel() == expected.numel():
        return headline, "The numbers may be right: check how the last step reshapes them."
    return headline, "Write the shape behind each line of your code and find where they part."


def _boolean(name: str, got: Tensor, expected: Tensor) -> Finding:
    if torch.equal(got, ~expected):
        return f"{name} is inverted", "True means: this query may attend to this key."
    allowed = int((got & ~expected).sum())
    blocked = int((~got & expected).sum())
    return (
        f"{name} is True in {allowed} places too many and False in {blocked} too many",
        "Look at one row: what does True stand for here, and where should it be?",
    )


def _not_finite(name: str, got: Tensor, expected: Tensor, case: Case) -> Finding:
    if expected.isfinite().all() and not got.isfinite().all():
        what = "NaN" if got.isnan().any() else "infinity"
        return (
            f"{name} holds {what}, with {case.label}",
            "Which step divides by zero, overflows, or subtracts infinity from infinity?",
        )
    return None


def _transposed(name: str, got: Tensor, expected: Tensor, _: Case) -> Finding:
    square = expected.dim() >= 2 and expected.shape[-1] == expected.shape[-2]
    if square and _close(got.transpose(-2, -1), expected):
        return f"{name} is transposed", "Rows belong to queries, columns to keys."
    return None


def _masked_leak(name: str, got: Tensor, expected: Tensor, case: Case) -> Finding:
    mask = case.inputs.get("mask")
    if name != "weights" or not isinstance(mask, Tensor) or got.shape[-1] != mask.shape[-1]:
        return None
    hidden = ~mask.expand(got.shape)
    leak = got[hidden].abs().max().item() if hidden.any() else 0.0
    if leak > 1e-6:
        return (
            f"a masked pair still has weight {leak:.3g}",
            "Masked must mean exactly zero. When, relative to the softmax, is the mask applied?",
        )
    return None


def _rows(name: str, got: Tensor, expected: Tensor, _: Case) -> Finding:
    if name != "weights" or got.dim() < 2:
        return None
    sums, right = got.sum(-1), expected.sum(-1)
    if _close(sums, right):
        return None
    ones = torch.ones_like(got.sum(-2))
    if _close(got.sum(-2), ones):
        return (
            "the columns of the weights sum to one, the rows do not",
            "Each query shares out one unit of attention over the keys.",
        )
    worst = (sums - right).abs().argmax()
    return (
        f"a row of the weights sums to {sums.flatten()[worst]:.3g}; "
        f"expected {right.flatten()[worst]:.3g}",
        "Which step makes a row sum to one, and does anything change the row after it?",
    )


def _divisor(name: str, got: Tensor, expected: Tensor, case: Case) -> Finding:
    """Find what the scores were divided by: log-weights fall on a line against dot products."""
    query, key = case.inputs.get("query"), case.inputs.get("key")
    if name != "weights" or not (isinstance(query, Tensor) and isinstance(key, Tensor)):
        return None
    if not (got > 0).all():
        return None
    products = _centred(query.double() @ key.double().mT)
    logarithms = _centred(got.log())
    slope = (logarithms * products).sum() / products.square().sum()
    if slope == 0 or not torch.allclose(logarithms, slope * products, rtol=1e-2, atol=1e-3):
        return None
    return (
        f"the scores are divided by {1 / slope.item():.3g}; "
        f"expected {math.sqrt(query.shape[-1]):.3g} = √d_head",
        "Which width belongs under the root, and where can it be read?",
    )


def _centred(rows: Tensor) -> Tensor:
    return rows - rows.mean(-1, keepdim=True)


def _factor(name: str, got: Tensor, expected: Tensor, case: Case) -> Finding:
    """Find one factor between the two, and the size of the case that it comes from."""
    large = expected.abs() > 1e-6
    if not large.any() or got.numel() < 2:
        return None
    factor = (got[large] / expected[large]).median().item()
    if not math.isfinite(factor) or abs(factor) < 1e-9 or not _close(got, factor * expected):
        return None
    sizes = {
        (f"{size} = size of axis {axis} of {argument}", float(size))
        for argument, value in case.inputs.items()
        if isinstance(value, Tensor)
        for axis, size in enumerate(value.shape)
    }
    for words, size in sorted(sizes):
        for label, candidate in (
            (words, size),
            (f"√{words}", math.sqrt(size)),
            (f"1/{words}", 1 / size),
            (f"1/√{words}", 1 / math.sqrt(size)),
        ):
            if size > 1 and math.isclose(factor, candidate, rel_tol=1e-3):
                return (
                    f"{name} is {factor:.3g} times what it should be: {label}",
                    "Which factor does the formula have at that place?",
                )
    return f"{name} is {factor:.3g} times what it should be", "Is a factor missing, or there twice?"


def _close(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one, other, rtol=1e-3, atol=1e-5)
