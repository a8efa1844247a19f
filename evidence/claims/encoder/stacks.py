"""Stacks of encoder layers whose residuals and norms can be taken away one by one."""

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
