"""Name the cause of a difference that no known slip explains.

A bare "not close" names nothing. Each probe looks for one pattern and returns a headline and
what to try, or None.
"""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.common_factor import (
    Sample,
    Symptom,
    as_code,
    close,
    factor,
    number,
    told_apart,
)
from notebook_judge.checks.compare import wrong_kind

MANY = 4  # different numbers: fewer may be round by chance


def diagnose(
    name: str, got: Tensor, expected: Tensor, case: Case, others: Sequence[Sample] = ()
) -> Symptom:
    """Return the first probe's finding.

    Args:
        name: what the values are called, such as ``"weights"``.
        got: what the answer returned.
        expected: what it should have returned, ``got.shape`` where only the numbers are wrong.
        case: the inputs, whose sizes may explain a factor.
        others: the same of other wrong cases, which must bear the explanation out.
    """
    if got.shape != expected.shape:
        return _shape(name, got, expected)
    if wrong := wrong_kind(got, expected):
        return f"{as_code(name)} has dtype {got.dtype}; expected {wrong[0]}", wrong[1]
    if expected.dtype == torch.bool:
        return _boolean(name, got, expected)
    exact = not expected.is_floating_point()  # ids have no scale, and are not rounded
    got, expected = got.double(), expected.double()
    for probe in _PROBES:
        if found := probe(name, got, expected, case):
            return found
    if not exact and close(got, expected):
        return _rounded(name, got, expected)  # and nearly all that the other probes know
    if got.numel() == 1:
        return number(name, got, expected, others, exact)
    found = None if exact else factor(name, got, expected, case, others)
    last = [probe for probe in _LAST if not (exact and probe in _SCALES)]
    return found or next(
        (
            found
            for probe in last
            if (found := probe(name, got, expected, case))
            and _borne_out(probe, found, name, others)
        ),
        None,
    )


def _borne_out(
    probe: Callable[..., Symptom], found: Symptom, name: str, others: Sequence[Sample]
) -> bool:
    """Whether an input that comes back in one case does in all, and is not the same by chance."""
    return probe is not _with_input or all(
        one.shape == other.shape and probe(name, one.double(), other.double(), beside) == found
        for one, other, beside in others
    )


def _shape(name: str, got: Tensor, expected: Tensor) -> Symptom:
    if got.dim() == expected.dim() == 1:
        return _length(name, got, expected)
    headline = f"{as_code(name)} has shape {tuple(got.shape)}; expected {tuple(expected.shape)}"
    if sorted(got.shape) == sorted(expected.shape):
        return headline, "The axes are in another order than the exercise asks for."
    if got.numel() == expected.numel():
        return headline, "The numbers may be right: check how the last step reshapes them."
    return headline, "Write the shape behind each line of your code and find where they part."


def _length(name: str, got: Tensor, expected: Tensor) -> Symptom:
    """Of two rows of unequal length, how far they agree."""
    if not len(got):
        return f"{as_code(name)} is empty", "Which step finds nothing, or leaves everything out?"
    both = min(len(got), len(expected))
    apart = (~torch.isclose(got[:both].double(), expected[:both].double())).nonzero()
    same = int(apart[0]) if len(apart) else both
    more = len(got) - len(expected)
    much = f"{abs(more)} too {'long' if more > 0 else 'short'}"
    parts = "from the first on" if not same else f"after the first {same}"
    if same == both:
        where = "the longer one goes on where the other ends"
        lead = "Where should it have stopped?" if more > 0 else "What ends it too early?"
        return f"{as_code(name)} is {much}: {where}", lead
    return (
        f"{as_code(name)} is {much}, and differs {parts}",
        f"Work out by hand what stands at index {same}.",
    )


def _boolean(name: str, got: Tensor, expected: Tensor) -> Symptom:
    if torch.equal(got, ~expected):
        return f"{as_code(name)} is inverted", "What does True stand for here?"
    counts = {"True": int((got & ~expected).sum()), "False": int((~got & expected).sum())}
    places = " and ".join(
        f"{value} in {many} place{'s' * (many > 1)} too many"
        for value, many in counts.items()
        if many
    )
    lead = "Look at one row: what does True stand for here, and where should it be?"
    return f"{as_code(name)} is {places}", lead


def _not_finite(name: str, got: Tensor, expected: Tensor, case: Case) -> Symptom:
    wrong = ~got.isfinite() & (got != expected) & ~expected.isnan()
    # An infinity that belongs in some places may have been handed through in others.
    wrong &= ~torch.isin(got, expected[expected.isinf()])
    nan = bool(got[wrong].isnan().any())
    if wrong.any():
        what = "NaN" if nan else "infinity"
        lead = (
            "Which step divides by zero, overflows, takes the logarithm of 0, or subtracts "
            "infinity from infinity?"
        )
        if any(isinstance(v, Tensor) and v.isnan().any() for v in case.inputs.values()):
            lead = (
                "An input holds NaN where it must not matter, and 0 times NaN is NaN. Who reads it?"
            )
        return f"{as_code(name)} holds {what}", lead
    return None


def _infinity_missing(name: str, got: Tensor, expected: Tensor, _: Case) -> Symptom:
    wrong = expected.isinf() & (got != expected)
    if not wrong.any():
        return None
    one, right = got[wrong][0].item(), expected[wrong][0].item()
    return (
        f"{as_code(name)} is {one:.4g} where it should be {'-' * (right < 0)}∞",
        "What does the exercise ask for where nothing was seen? Which step hides it?",
    )


def _zero(name: str, got: Tensor, expected: Tensor, _: Case) -> Symptom:
    if got.numel() < 2 or got.any() or not expected.any():
        return None
    if name.startswith("gradient of"):
        return (
            f"{as_code(name)} is 0 everywhere",
            "What cuts it off: .detach(), .data, no_grad, torch.tensor(…)?",
        )
    return (
        f"{as_code(name)} is 0 everywhere",
        "Which step multiplies by 0, or lets 0 stand for what is not there?",
    )


def _transposed(name: str, got: Tensor, expected: Tensor, _: Case) -> Symptom:
    square = expected.dim() >= 2 and expected.shape[-1] == expected.shape[-2]
    if square and close(got.transpose(-2, -1), expected):
        return f"{as_code(name)} is transposed", "Which axis should its rows be?"
    return None


def _masked_leak(name: str, got: Tensor, expected: Tensor, case: Case) -> Symptom:
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


def _rows(name: str, got: Tensor, expected: Tensor, _: Case) -> Symptom:
    if name != "weights" or got.dim() < 2:
        return None
    sums, right = got.sum(-1), expected.sum(-1)
    if close(sums, right):
        return None
    ones = torch.ones_like(got.sum(-2))
    if close(got.sum(-2), ones):
        return (
            "the columns of the weights sum to one, the rows do not",
            "Each query shares out one unit of attention over the keys.",
        )
    worst = (sums - right).abs().argmax()
    one, other = told_apart(sums.flatten()[worst].item(), right.flatten()[worst].item(), 3)
    return (
        f"a row of the weights sums to {one}; expected {other}",
        "Which step makes a row sum to one, and does anything change the row after it?",
    )


def _divisor(name: str, got: Tensor, expected: Tensor, case: Case) -> Symptom:
    """Find what the scores were divided by: log-weights fall on a line against dot products."""
    query, key = case.inputs.get("query"), case.inputs.get("key")
    if name != "weights" or not (isinstance(query, Tensor) and isinstance(key, Tensor)):
        return None
    if not (got > 0).all():
        return None
    products = _centred(query.double() @ key.double().mT)
    logarithms, root = _centred(got.log()), math.sqrt(query.shape[-1])
    slope = (logarithms * products).sum() / products.square().sum()
    if slope == 0 or not torch.allclose(logarithms, slope * products, rtol=1e-2, atol=1e-3):
        return None
    if math.isclose(slope * root, 1, rel_tol=2e-2):  # something else is wrong
        return None
    return (
        f"the scores are divided by {1 / slope.item():.3g}; expected {root:.3g} = √d_head",
        "Which width belongs under the root, and where can it be read?",
    )


def _centred(rows: Tensor) -> Tensor:
    return rows - rows.mean(-1, keepdim=True)


def _constant(name: str, got: Tensor, expected: Tensor, _: Case) -> Symptom:
    """One number that is added everywhere."""
    apart = got - expected
    if got.numel() < 2 or not apart.isfinite().all():
        return None
    if not close(apart, apart.flatten()[0].expand_as(apart)):
        return None
    by = apart.flatten()[0].item()
    much = f"{abs(by):.3g} too {'large' if by > 0 else 'small'}"
    return f"{as_code(name)} is {much} everywhere", "What was added, or left out, in every place?"


def _rounded(name: str, got: Tensor, expected: Tensor) -> Symptom:
    """Right but for its last digits."""
    return (
        f"{as_code(name)} is nearly right: off by up to {(got - expected).abs().max().item():.2g}",
        "Is something rounded, computed in half precision, or a small number added? Or is a term "
        "wrong that is small beside the others?",
    )


def _decimals(name: str, got: Tensor, expected: Tensor, _: Case) -> Symptom:
    """Right, but cut to a few decimals, as for printing."""
    if got.unique().numel() < MANY:
        return None
    for digits in range(1, 5):
        whole = got * 10**digits
        near = (got - expected).abs().max() < 0.501 * 10**-digits
        if near and torch.allclose(whole, whole.round(), rtol=1e-6, atol=1e-3):
            return (
                f"{as_code(name)} is rounded to {digits} decimal{'s' * (digits > 1)}",
                "Return the numbers as they were computed; whoever prints them may round.",
            )
    return None


def _with_input(name: str, got: Tensor, expected: Tensor, case: Case) -> Symptom:
    """An input that was added, or that comes back as it was."""
    for argument, value in case.inputs.items():
        if not isinstance(value, Tensor) or value.shape != got.shape or not value.any():
            continue
        if close(got, value.double()):
            return f"{as_code(name)} is `{argument}` as it was", "Which step should change it?"
        if close(got - expected, value.double()):
            return (
                f"{as_code(name)} is what it should be, with `{argument}` added",
                f"Where does your code add `{argument}`, and does the exercise ask for it?",
            )
    return None


def _softmaxed(name: str, got: Tensor, expected: Tensor, _: Case) -> Symptom:
    """The right numbers, sent through a softmax or a log-softmax."""
    for axis in range(-got.dim(), 0):
        if expected.shape[axis] < 2:
            continue
        for words, function in (("softmax", torch.softmax), ("log-softmax", torch.log_softmax)):
            if close(got, function(expected, dim=axis)):
                return (
                    f"a {words} over axis {axis + got.dim()} was applied to {as_code(name)}",
                    "Which step asks for it?",
                )
    return None


def _alike(name: str, got: Tensor, expected: Tensor, _: Case) -> Symptom:
    """Everything along an axis is the same, where it should not be."""
    for axis in range(got.dim()):
        if got.shape[axis] < 2:
            continue
        same, first = (close(x, x.narrow(axis, 0, 1).expand_as(x)) for x in (got, expected))
        if same and not first:
            return (
                f"{as_code(name)} is the same at every index of axis {axis}",
                "What should tell these places apart?",
            )
    return None


def _by_rows(name: str, got: Tensor, expected: Tensor, _: Case) -> Symptom:
    """Rows that are each right but for a factor, or a number added, of their own."""
    if got.dim() < 2 or got.shape[-1] < 3 or not got.isfinite().all():
        return None
    apart = got - expected
    if close(apart, apart.mean(-1, keepdim=True).expand_as(apart)):
        return (
            f"each row of {as_code(name)} is shifted by a number of its own",
            "What is added to a row, or taken from it?",
        )
    scale = (got * expected).sum(-1, keepdim=True) / expected.square().sum(-1, keepdim=True)
    if scale.isfinite().all() and (scale.abs() > 1e-3).all() and close(got, scale * expected):
        return (
            f"each row of {as_code(name)} is right but for a factor of its own",
            "What is a row divided by, or multiplied with?",
        )
    return None


def _moved(name: str, got: Tensor, expected: Tensor, _: Case) -> Symptom:
    """The right numbers, at other places."""
    if got.numel() > 1 and close(got.flatten().sort().values, expected.flatten().sort().values):
        return (
            f"{as_code(name)} holds the right numbers, but not at the right places",
            "Follow one of them: where does it stand, and where should it?",
        )
    return None


def _part(name: str, got: Tensor, expected: Tensor, _: Case) -> Symptom:
    """Along which axis some places are right and others wrong: that with the fewest wrong ones."""
    wrong = ~torch.isclose(got, expected, rtol=1e-4, atol=1e-5)  # as a check tells them apart
    axes = range(got.dim())
    others = [[other for other in axes if other != axis] for axis in axes]
    along = [wrong.any(dim=rest) if rest else wrong for rest in others]
    parts = [axis for axis in axes if along[axis].any() and not along[axis].all()]
    if not parts:
        return None
    axis = min(parts, key=lambda axis: along[axis].double().mean().item())
    at = ", ".join(map(str, along[axis].nonzero().flatten().tolist()[:6]))
    more = "" if along[axis].sum() <= 6 else ", …"
    return (
        f"{as_code(name)} is wrong at index {at}{more} of axis {axis} only, of {got.shape[axis]}",
        "What sets these places apart from the others?",
    )


_PROBES = (
    _not_finite,
    _infinity_missing,
    _zero,
    _transposed,
    _masked_leak,
    _decimals,
    _rows,
    _divisor,
)
_LAST = (_constant, _with_input, _softmaxed, _moved, _alike, _by_rows, _part)
_SCALES = (_softmaxed, _by_rows)  # never seen in ids
