"""Stacks of encoder layers whose residuals and norms can be taken away one by one."""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from transformer_lesson import seeded
from transformer_lesson.blocks import EncoderLayer

WIDTH, HEADS = 64, 4


def step(layer: EncoderLayer, x: Tensor, residual: str, norm: str | None) -> Tensor:
    """One layer. residual: "both", "attention", "feed-forward" or "none"; norm: "pre", "post"."""
    inside = layer.self_attention_norm(x) if norm == "pre" else x
    added = layer.self_attention(inside)[0]
    x = x + added if residual in ("both", "attention") else added
    x = layer.self_attention_norm(x) if norm == "post" else x
    inside = layer.feed_forward_norm(x) if norm == "pre" else x
    added = layer.feed_forward(inside)
    x = x + added if residual in ("both", "feed-forward") else added
    return layer.feed_forward_norm(x) if norm == "post" else x


def apart(x: Tensor) -> float:
    """Share of the length of tokens (..., tokens, d_model) that is not common to all of them."""
    return ((x - x.mean(-2, keepdim=True)).norm() / x.norm()).item()


def length(parameters: list[Tensor]) -> float:
    """Length of the gradient of some parameters, taken together."""
    gradients = [p.grad.flatten() for p in parameters if p.grad is not None]
    return torch.cat(gradients).norm().item()


def layers_with_gradients(
    seed: int, depth: int, residual: str, norm: str | None
) -> list[EncoderLayer]:
    """Layers of random weights after one backward pass: random tokens, random words to predict."""
    generator = seeded(seed)
    x = torch.randn(4, 16, WIDTH, generator=generator)  # (batch, tokens, d_model)
    layers = [
        EncoderLayer(WIDTH, HEADS, 4 * WIDTH, generator=generator, attention="fused")
        for _ in range(depth)
    ]
    for layer in layers:
        x = step(layer, x, residual, norm)
    x = F.layer_norm(x, (WIDTH,)) if norm == "pre" else x  # the final norm
    output = torch.randn(WIDTH, 32, generator=generator) / math.sqrt(WIDTH)
    goal = torch.randint(32, (4 * 16,), generator=generator)
    F.cross_entropy((x @ output).flatten(0, 1), goal).backward()
    return layers
