"""Other inputs and weights than those of a case, of the same sizes."""

from dataclasses import replace

import torch
from torch import Tensor

from notebook_judge.checks.cases import Case, LanguageModel, Value

SMALL = 200  # numbers in a case; a further call of an answer costs nothing


def is_cheap(case: Case) -> bool:
    """Whether a case holds tensors, and few numbers in them."""
    values = case.inputs.values()
    numbers = [v.numel() if isinstance(v, Tensor) else isinstance(v, LanguageModel) for v in values]
    return 0 < sum(numbers) <= SMALL


def instead_of(case: Case) -> Case:
    """Return a case with other inputs and weights."""
    build = case.build
    if build:
        build = replace(build, weights={name: _changed(w) for name, w in build.weights.items()})
    return replace(case, inputs={n: _other(v) for n, v in case.inputs.items()}, build=build)


def _other(value: Value) -> Value:
    if isinstance(value, LanguageModel):
        return LanguageModel(_changed(value.table))
    return _changed(value) if isinstance(value, Tensor) else value


def _changed(value: Tensor) -> Tensor:
    """Others of the same sort, in the reverse order; flags that are all alike are negated."""
    turned = value.flatten().flip(0).view(value.shape)
    return ~value if value.dtype == torch.bool and torch.equal(turned, value) else turned
