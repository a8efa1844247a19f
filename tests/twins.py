"""The parameters of our modules under the names of PyTorch's, so that both can hold the same."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention
from transformer_lesson.blocks import DecoderLayer, EncoderLayer
from transformer_lesson.stacks import Stack

Take = Callable[[Tensor], Tensor]


def gradient(parameter: Tensor) -> Tensor:
    """The ``take`` that compares gradients."""
    assert parameter.grad is not None
    return parameter.grad


def disturb(module: nn.Module, seed: int = 0) -> None:
    """Add noise to every bias and norm, because a missing bias is not noticed where it is 0."""
    generator = seeded(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() == 1:
                noise = torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype)
                parameter.add_(noise)


def named_attention(ours: MultiHeadAttention, take: Take, prefix: str) -> dict[str, Tensor]:
    """``take`` of every parameter, under the names of ``nn.MultiheadAttention``."""
    kinds = ("weight",) if ours.output_projection.bias is None else ("weight", "bias")
    times = ours.num_heads // ours.num_kv_heads
    named = {}
    for kind in kinds:
        query, key, value = (
            take(getattr(part, kind))
            for part in (ours.query_projection, ours.key_projection, ours.value_projection)
        )
        if times > 1:  # PyTorch's has a key and a value for each head
            key, value = (_repeated(shared, ours.d_head, times) for shared in (key, value))
        named[f"{prefix}in_proj_{kind}"] = torch.cat([query, key, value])
        named[f"{prefix}out_proj.{kind}"] = take(getattr(ours.output_projection, kind))
    return named


def _repeated(shared: Tensor, d_head: int, times: int) -> Tensor:
    heads = shared.unflatten(0, (-1, d_head))
    return heads.repeat_interleave(times, dim=0).flatten(0, 1)


def named_layer(
    ours: EncoderLayer | DecoderLayer, take: Take, prefix: str = ""
) -> dict[str, Tensor]:
    """``take`` of every parameter, under the names of PyTorch's encoder and decoder layers."""
    named = named_attention(ours.self_attention, take, f"{prefix}self_attn.")
    parts: dict[str, nn.Module] = {
        "linear1": ours.feed_forward.up,
        "linear2": ours.feed_forward.down,
        "norm1": ours.self_attention_norm,
        "norm2": ours.feed_forward_norm,
    }
    if isinstance(ours, DecoderLayer):
        named |= named_attention(ours.cross_attention, take, f"{prefix}multihead_attn.")
        parts |= {"norm2": ours.cross_attention_norm, "norm3": ours.feed_forward_norm}
    for name, part in parts.items():
        named |= {f"{prefix}{name}.{which}": take(p) for which, p in part.named_parameters()}
    return named


def named_stack(ours: Stack, take: Take, prefix: str = "") -> dict[str, Tensor]:
    """``take`` of every parameter, under the names of ``nn.TransformerEncoder`` or ``…Decoder``."""
    named = {f"{prefix}norm.{name}": take(p) for name, p in ours.final_norm.named_parameters()}
    for i, layer in enumerate(ours.layers):
        assert isinstance(layer, EncoderLayer | DecoderLayer)
        named |= named_layer(layer, take, f"{prefix}layers.{i}.")
    return named


def pytorchs_layer(
    decodes: bool, d_model: int, num_heads: int, d_ff: int, norm: str, activation: str
) -> Any:
    """A layer of PyTorch's encoder, or of its decoder, in our conventions."""
    kind: Any = nn.TransformerDecoderLayer if decodes else nn.TransformerEncoderLayer
    options = {"dropout": 0.0, "activation": activation, "batch_first": True}
    return kind(d_model, num_heads, d_ff, norm_first=norm == "pre", **options)
