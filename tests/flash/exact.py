"""Attention in float64, and what PyTorch's own error is in a lower precision."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from transformer_lesson import seeded
from transformer_lesson.flash import flash_attention


@dataclass(frozen=True)
class Shape:
    """One case: sizes, and what may be seen."""

    queries: int
    keys: int
    width: int
    heads: int = 2
    key_heads: int = 2
    batch: int = 2
    causal: bool = False
    padding: bool = False
    spread: float = 1.0

    def __str__(self) -> str:
        words = [f"{self.queries}x{self.keys}", f"width{self.width}"]
        words += [f"{self.heads}over{self.key_heads}heads"] * (self.heads != self.key_heads)
        words += ["causal"] * self.causal + ["padding"] * self.padding
        words += [f"spread{self.spread:g}"] * (self.spread != 1)
        return "-".join(words)

    def draw(self, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Query, key, value and the upstream gradient."""
        g = seeded(0)
        shapes = [(self.heads, self.queries), *[(self.key_heads, self.keys)] * 2]
        shapes.append(shapes[0])
        q, k, v, d = (torch.randn(self.batch, h, n, self.width, generator=g) for h, n in shapes)
        return (q * self.spread).to(dtype), k.to(dtype), v.to(dtype), d.to(dtype)

    def real(self) -> Tensor | None:
        """Which keys are no padding; the last sentence is nothing but padding."""
        if not self.padding:
            return None
        real = torch.arange(self.keys) < torch.tensor([[2 * self.keys // 3]])
        return real.repeat(self.batch, 1) & (torch.arange(self.batch) < self.batch - 1)[:, None]

    def mask(self) -> Tensor:
        """The same as a table of all pairs."""
        mask = torch.ones(self.queries, self.keys, dtype=torch.bool)
        mask = mask.tril(self.keys - self.queries) if self.causal else mask
        real = self.real()
        return mask[None, None] if real is None else mask & real[:, None, None]


Results = tuple[Tensor, ...]
NAMES = ("output", "gradient of query", "gradient of key", "gradient of value")


def attend(*tensors: Tensor, **told: Any) -> Tensor:
    """The output of our attention, when nothing else is asked for."""
    output = flash_attention(*tensors, **told)
    assert isinstance(output, Tensor)
    return output


def plainly(
    shape: Shape, inputs: tuple[Tensor, ...], dtype: torch.dtype, *, score_eps: float = 0.0
) -> Results:
    """Output and gradients of ``inputs`` by plain operations in ``dtype``.

    With ``score_eps`` each weight is off, up or down, by what a score that was computed with this
    machine epsilon may be off by: ``score_eps`` times the sum of its products without their signs.
    """
    q, k, v, d = (tensor.to(dtype) for tensor in inputs)
    leaves = [tensor.clone().requires_grad_() for tensor in (q, k, v)]
    group = shape.heads // shape.key_heads
    keys, values = (leaf.repeat_interleave(group, 1) for leaf in leaves[1:])
    scores = leaves[0] @ keys.mT / math.sqrt(shape.width)
    products = leaves[0].detach().abs() @ keys.detach().abs().mT / math.sqrt(shape.width)
    signs = torch.randint(0, 2, products.shape, generator=seeded(1)) * 2 - 1
    mask = shape.mask()
    weights = scores.masked_fill(~mask, torch.finfo(dtype).min).softmax(-1).masked_fill(~mask, 0.0)
    output = weights * (1 + score_eps * signs * products) @ values
    return output.detach(), *torch.autograd.grad(output, leaves, d)


def pytorchs(shape: Shape, dtype: torch.dtype) -> Results:
    """Output and gradients by PyTorch's fused attention in ``dtype``."""
    q, k, v, d = shape.draw(dtype)
    leaves = [tensor.clone().requires_grad_() for tensor in (q, k, v)]
    mask = None if shape.mask().all() else shape.mask().expand(shape.batch, 1, -1, -1)
    group = shape.heads // shape.key_heads
    keys, values = (leaf.repeat_interleave(group, 1) for leaf in leaves[1:])
    output = F.scaled_dot_product_attention(leaves[0], keys, values, mask)
    return output.detach(), *torch.autograd.grad(output, leaves, d)


def too_far(shape: Shape, dtype: torch.dtype, results: Results) -> list[str]:
    """What is further from float64 than twice PyTorch's error and what rounding explains.

    How well PyTorch does on one draw is luck, and the processor's order of additions is part of it:
    where PyTorch hits the exact result, the last digits may still differ. And a score is off by its
    own rounding, which the exponential turns into a relative error of the weight: at scores in the
    hundreds far more than the last digits. The kernels compute scores in float32, and the backward
    pass computes them anew, on some processors in another order.
    """
    eps = torch.finfo(torch.float32).eps
    exact = plainly(shape, shape.draw(dtype), torch.float64)
    moved = plainly(shape, shape.draw(dtype), torch.float64, score_eps=eps)
    found = []
    for name, got, theirs, right, other in zip(
        NAMES, results, pytorchs(shape, dtype), exact, moved, strict=True
    ):
        assert got.dtype == dtype
        error, allowed = (got - right).abs().max(), 2 * (theirs - right).abs().max()
        digits = max(torch.finfo(dtype).eps, 4 * eps) * max(1.0, right.abs().max().item())
        rounding = digits + (other - right).abs().max()
        if not error <= allowed + rounding:
            found.append(f"{name}: {error:.2e} against {allowed:.2e} and {rounding:.2e}")
    return found
