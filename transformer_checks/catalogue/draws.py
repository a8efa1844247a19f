"""Random inputs for cases."""

from collections.abc import Callable

import torch
from torch import Generator, Tensor

Draw = Callable[..., Tensor]


def normal(generator: Generator, *shape: int) -> Tensor:
    """Standard normal numbers, float32."""
    return torch.randn(shape, generator=generator)


def tidy(generator: Generator, *shape: int) -> Tensor:
    """Normal numbers with one decimal: a counterexample that can be worked out by hand."""
    return (normal(generator, *shape) * 10).round() / 10


def uneven(generator: Generator, *shape: int) -> Tensor:
    """Normal numbers whose rows are as they are, 30 times as large, zeros, or thousandths."""
    sizes = torch.tensor([1.0, 30.0, 0.0, 5e-4]).repeat(shape[-2] // 4 + 1)[: shape[-2], None]
    return normal(generator, *shape) * sizes


def some(generator: Generator, *shape: int) -> Tensor:
    """A boolean mask that allows about two pairs in three, and in every row the first key."""
    mask = torch.rand(shape, generator=generator) < 0.67
    mask[..., 0] = True
    return mask
