"""A case and a difference, as a learner would write them down."""

import torch
from torch import Tensor

from notebook_judge.checks.cases import Case, LanguageModel, Outcome, Value
from notebook_judge.checks.compare import tolerance
from notebook_judge.checks.exercise import Check

MOST_LETTERS = 400  # of a list
MOST_NUMBERS = 24  # of a tensor


def can_be_shown(case: Case) -> bool:
    """Whether all numbers of a case can be shown."""
    tensors = [value for value in case.inputs.values() if isinstance(value, Tensor)]
    return all(tensor.numel() <= MOST_NUMBERS for tensor in tensors)


def inputs(case: Case) -> str:
    """What the answer was called with, a line for each argument."""
    lines = [f"with {case.label}:"]
    if case.build:
        config = ", ".join(f"{name}={value!r}" for name, value in case.build.config.items())
        lines.append(f"  built with {config}; {'training' if case.build.training else 'eval'} mode")
    lines += [f"  {name} = {_shown(value)}" for name, value in case.inputs.items()]
    return "\n".join(lines)


def difference(check: Check, name: str, outcome: Outcome, expected: Outcome) -> str:
    """What was expected, what came, and the first place where the two differ."""
    got, right = outcome.values[name], expected.values[name]
    lines = [f"expected {name} = {_shown(right)}", f"got      {name} = {_shown(got)}"]
    if got.shape == right.shape and right.dim() > 0:
        atol = tolerance(check, name, right)
        pair = got.double(), right.double()
        close = torch.isclose(*pair, rtol=check.rtol, atol=atol, equal_nan=True)
        if not close.all():
            at = (~close).nonzero()[0].tolist()
            one, other = (_shown(values[tuple(at)]) for values in (right, got))
            lines.append(f"first difference at {at}: expected {one}, got {other}")
    return "\n".join(lines)


def _shown(value: Value) -> str:
    if isinstance(value, LanguageModel):
        return f"a model with a vocabulary of {value.table.shape[-1]}"
    if not isinstance(value, Tensor):
        words = str(value)
        return words if len(words) <= MOST_LETTERS else f"{words[:MOST_LETTERS]} …"
    if value.numel() > MOST_NUMBERS:
        return f"tensor of shape {tuple(value.shape)}"
    if value.dtype.is_floating_point:
        return str(rounded(value.double().tolist()))
    return str(value.tolist())


def rounded(values: float | list) -> float | list:
    """Numbers with four digits, in lists as deep as they come."""
    if isinstance(values, list):
        return [rounded(value) for value in values]
    return float(f"{values:.4g}")
