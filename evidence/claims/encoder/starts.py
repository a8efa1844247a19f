"""Gradients of deep stacks of random weights, before any training."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor
from torch.nn import functional as F

from evidence.claims.encoder.stacks import small, step
from transformer_lesson import seeded
from transformer_lesson.blocks import EncoderLayer

WIDTH = 64


def layers_with_gradients(
    seed: int,
    depth: int,
    residual: str,
    norm: str | None,
    branches: str = "full",
    final_norm: bool = False,
) -> list[EncoderLayer]:
    """Layers of random weights after one backward pass: random tokens, random words to predict.

    Pre-norm stacks end in a norm, others where ``final_norm`` says so. ``"small"`` branches are
    divided by √(2L).

    Attention is the reference: without norms the scores grow so large that the backward pass of
    PyTorch's fused attention, which computes the weights again, loses all precision.
    """
    generator = seeded(seed)
    x = torch.randn(4, 16, WIDTH, generator=generator)  # (batch, tokens, d_model)
    layers = [EncoderLayer(WIDTH, 4, 4 * WIDTH, generator=generator) for _ in range(depth)]
    for layer in layers:
        if branches == "small":
            small(layer, depth)
        x = step(layer, x, residual, norm)
    x = F.layer_norm(x, (WIDTH,)) if norm == "pre" or final_norm else x
    output = torch.randn(WIDTH, 32, generator=generator) / math.sqrt(WIDTH)
    goal = torch.randint(32, (4 * 16,), generator=generator)
    F.cross_entropy((x @ output).flatten(0, 1), goal).backward()
    return layers


def length(parameters: Iterable[Tensor]) -> float:
    """Length of the gradient of some parameters, taken together."""
    gradients = [p.grad.flatten() for p in parameters if p.grad is not None]
    return torch.cat(gradients).norm().item()
