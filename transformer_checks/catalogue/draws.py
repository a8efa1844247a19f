"""Random inputs for cases."""

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Generator, Tensor

Draw = Callable[..., Tensor]
T = TypeVar("T")
MOST_DRAWS = 10_000  # the most that any exercise has needed is 127


def redrawn(attempt: Callable[[], T | None]) -> T:
    """Draw again until something comes that is not None.

    Raises:
        RuntimeError: nothing has come after ``MOST_DRAWS`` attempts.
    """
    for _ in range(MOST_DRAWS):
        if (drawn := attempt()) is not None:
            return drawn
    raise RuntimeError(
        f"{attempt.__qualname__} has drawn {MOST_DRAWS:,} times, and nothing that tells answers "
        "apart. PyTorch computes here as on no other machine: please report which it is."
    )


def normal(generator: Generator, *shape: int) -> Tensor:
    """Standard normal numbers, float32."""
    return torch.randn(shape, generator=generator)


def half(generator: Generator, *shape: int) -> Tensor:
    """Normal numbers, halved: scores of long vectors stay small enough for float32's digits."""
    return normal(generator, *shape) / 2


def tidy(generator: Generator, *shape: int) -> Tensor:
    """Normal numbers with one decimal: a counterexample that can be worked out by hand."""
    return (normal(generator, *shape) * 10).round() / 10


def gapped(generator: Generator, *shape: int) -> Tensor:
    """Tidy numbers whose second vector is zero: a vector like any other, and no padding."""
    numbers = tidy(generator, *shape)
    if len(shape) > 1:
        numbers[..., 1:2, :] = 0.0
    return numbers


def uneven(generator: Generator, *shape: int) -> Tensor:
    """Normal numbers whose rows are as they are, 30 times as large, zeros, or thousandths."""
    sizes = torch.tensor([1.0, 30.0, 0.0, 5e-4]).repeat(shape[-2] // 4 + 1)[: shape[-2], None]
    return normal(generator, *shape) * sizes


def uneven_columns(generator: Generator, *shape: int) -> Tensor:
    """Like ``uneven``, but each column has one size: sums of a column hide none of its numbers."""
    return uneven(generator, *shape[:-2], shape[-1], shape[-2]).mT.contiguous()


def moderate(generator: Generator, *shape: int) -> Tensor:
    """Like ``uneven_columns``, up to about 10: long sums of larger numbers round too much."""
    return uneven_columns(generator, *shape) / 7


def whole(generator: Generator, *shape: int) -> Tensor:
    """Whole numbers from -4 to 4: scores made of them are large, and float32 holds them exactly."""
    return torch.randint(-4, 5, shape, generator=generator).float()


def some(generator: Generator, *shape: int) -> Tensor:
    """A boolean mask that allows about two pairs in three, and in every row the first key."""
    mask = torch.rand(shape, generator=generator) < 0.67
    mask[..., 0] = True
    return mask


def all_but_two(generator: Generator, count: int) -> list[int]:
    """Indices below ``count`` in any order, without two of them; one at least."""
    return torch.randperm(count, generator=generator)[: max(1, count - 2)].tolist()


def spread(count: int) -> Tensor:
    """Powers of two from thousandths to thousands.

    Where one factor is multiplied by them and the other divided, the product is the same to the
    last bit, and yet both hold numbers of all sizes.
    """
    return 2.0 ** torch.linspace(-12, 12, count).round()
