"""Stacks of encoder layers whose residuals and norms can be taken away one by one."""

import math

import torch
from torch import Tensor

from transformer_lesson.blocks import EncoderLayer


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


@torch.no_grad()
def small(layer: EncoderLayer, depth: int) -> EncoderLayer:
    """Divide what a layer's two parts add by √(2 · depth), as GPT-2's start does; return it."""
    for matrix in (layer.self_attention.output_projection, layer.feed_forward.down):
        matrix.weight /= math.sqrt(2 * depth)  # the biases begin at 0
    return layer
