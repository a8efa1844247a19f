"""What an argument looks like to an answer that is right for ordinary inputs alone.

Each narrowing leaves the commonest values as they are, and changes others: large numbers, zeros,
long texts, an empty row of a mask. An answer that sees its argument so must fail, or the cases have
nothing but the ordinary.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

Narrowing = Callable[[Any], Any]

LARGE = 10  # numbers
LONG = 16  # sizes, counts, ids, letters
VECTORS = {"tokens", "query", "key", "value", "x", "target", "memory", "new"}  # one for each token


def narrowings(name: str, values: Sequence[Any]) -> Iterator[tuple[str, Narrowing]]:
    """Yield how an argument with these values may be narrowed, in words and as a function."""
    for kind in dict.fromkeys(map(_kind, values)):
        yield from OF_KIND.get(kind, ())
    if name in VECTORS and "numbers" in map(_kind, values):
        yield "has no vector of zeros", _no_vector_of_zeros  # as where one is taken for padding
    if name.endswith("_id"):
        yield "is never 0", lambda id: id or 1  # as where 0 is taken for no id at all
    tensors = [value for value in values if isinstance(value, Tensor)]
    for axis in (-2, -1):  # of (batch, heads, tokens, d_head) the last two may be long
        if any(tensor.dim() >= -axis for tensor in tensors):
            yield f"is 0 from index {LONG} of axis {axis} on", partial(_ended, axis)


def _kind(value: Any) -> str:
    if not isinstance(value, Tensor):
        return type(value).__name__
    if value.is_floating_point():
        return "numbers"
    return "mask" if value.dtype == torch.bool else "ids"


def _ended(axis: int, value: Any) -> Any:
    if not isinstance(value, Tensor) or value.dim() < -axis or value.shape[axis] <= LONG:
        return value
    kept = torch.arange(value.shape[axis]) < LONG
    return value * kept.view(-1, *[1] * (-axis - 1)).to(value.dtype)


def _of(kind: str, change: Narrowing) -> Narrowing:
    return lambda value: change(value) if _kind(value) == kind else value


def _smallest(size: float, numbers: Tensor) -> Tensor:
    return torch.where(numbers.abs() < size, 0.0, numbers)


def _without_zeros(numbers: Tensor) -> Tensor:
    return torch.where(numbers == 0, 1.0, numbers)


def _no_vector_of_zeros(vectors: Tensor) -> Tensor:
    return torch.where((vectors == 0).all(dim=-1, keepdim=True), 1.0, vectors)


def _other_than_0(entries: Any) -> Any:
    """As where an id is asked for with ``if id``, in a list or in lists of lists."""
    if isinstance(entries, list):
        return [_other_than_0(entry) for entry in entries]
    return 1 if type(entries) in (int, float) and entries == 0 else entries


def _diagonal(mask: Tensor) -> Tensor:
    return mask | torch.eye(*mask.shape[-2:], dtype=torch.bool) if mask.dim() > 1 else mask


def _no_empty_row(mask: Tensor) -> Tensor:
    return mask | ~mask.any(dim=-1, keepdim=True)


def _first_ones(mask: Tensor) -> Tensor:
    return torch.arange(mask.shape[-1]) < mask.sum(dim=-1, keepdim=True)


def _batch_of_one(mask: Tensor) -> Tensor:
    return torch.ones_like(mask) if mask.dim() and mask.shape[0] == 1 else mask


_CHANGES: dict[str, tuple[tuple[str, Narrowing], ...]] = {
    "numbers": (
        (f"is cut off at ±{LARGE}", lambda x: x.clamp(-LARGE, LARGE)),
        ("is cut off at 0", lambda x: x.clamp(min=0)),
        ("is never exactly 0", _without_zeros),
        ("is 0 below 0.001", partial(_smallest, 1e-3)),
        ("is rounded to bfloat16", lambda x: x.bfloat16().to(x.dtype)),
    ),
    "ids": (
        (f"is cut off at {LONG}", lambda x: x.clamp(max=LONG)),
        ("is never 0", lambda x: torch.where(x == 0, 1, x)),
    ),
    "mask": (
        ("lets each query see its own place", _diagonal),
        ("has no empty row", _no_empty_row),
        ("hides the last keys alone", _first_ones),
        ("hides nothing in a batch of one", _batch_of_one),
    ),
    "int": ((f"is at most {LONG}", lambda n: min(n, LONG)),),
    "float": (
        ("is rounded to one decimal", lambda x: round(x, 1)),
        ("is never 0", lambda x: x or 1e-3),
        ("is at most 1", lambda x: min(x, 1.0)),
    ),
    "list": (
        (f"has at most {LONG} entries", lambda x: x[:LONG]),
        ("is sorted", lambda x: sorted(x, key=str)),
        ("holds no 0", _other_than_0),
        ("has each entry once", lambda x: [e for i, e in enumerate(x) if e not in x[:i]]),
    ),
    "str": (
        (f"has at most {LONG} letters", lambda x: x[:LONG]),
        ("is in lower case", str.lower),
        ("has single spaces", lambda x: " ".join(x.split())),
    ),
}
OF_KIND = {
    kind: tuple((words, _of(kind, change)) for words, change in changes)
    for kind, changes in _CHANGES.items()
}
