"""Every argument that torch.nn has too, or that a plain formula says, in two precisions.

PyTorch's module is called with our parameters (``functional_call``), so the gradients of both are
gradients of the same tensors. In float64 they are equal; in bfloat16 our distance from float64 may
be twice PyTorch's.
"""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple, get_args

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional as F

from tests.twins import disturb, named_attention, named_layer, named_stack
from transformer_lesson import seeded
from transformer_lesson.attention import Attention, MultiHeadAttention, reference_attention
from transformer_lesson.blocks import DecoderLayer, EncoderLayer, FeedForward, RMSNorm
from transformer_lesson.config import ModelConfig
from transformer_lesson.flash.api import flash_attention
from transformer_lesson.models import EncoderDecoder

D_MODEL, HEADS, D_FF, TOKENS = 24, 4, 20, 5
BLOCKED = nn.Transformer.generate_square_subsequent_mask(TOKENS).isinf()  # True = blocked
Function = Callable[..., Tensor]


class Case(NamedTuple):
    """Our module, how it is called, and what the same numbers give elsewhere."""

    module: nn.Module
    ours: Function
    theirs: Function
    inputs: int = 1


def same(parameter: Tensor) -> Tensor:
    return parameter


def attention(forward: dict[str, Any], **options: Any) -> Case:
    def theirs(module: MultiHeadAttention, x: Tensor) -> Tensor:
        bias = options.get("bias", True)
        twin = nn.MultiheadAttention(D_MODEL, HEADS, bias=bias, batch_first=True)
        told = {"attn_mask": BLOCKED, "is_causal": True} if forward else {}
        weights = named_attention(module, same, "")
        return functional_call(twin, weights, (x, x, x), {"need_weights": False, **told})[0]

    def ours(module: MultiHeadAttention, x: Tensor) -> Tensor:
        return module(x, **forward)[0]

    return Case(MultiHeadAttention(D_MODEL, HEADS, generator=seeded(0), **options), ours, theirs)


def layer(kind: type[nn.Module], forward: dict[str, Any], **options: Any) -> Case:
    encoder = kind is EncoderLayer
    twins: dict[str, Any] = {
        "dropout": 0.0,
        "activation": "gelu",
        "batch_first": True,
        "norm_first": True,
    }
    twins |= {"layer_norm_eps": options.get("eps", 1e-5), "bias": options.get("bias", True)}

    def theirs(module: Any, *inputs: Tensor) -> Tensor:
        make = nn.TransformerEncoderLayer if encoder else nn.TransformerDecoderLayer
        twin = make(D_MODEL, HEADS, D_FF, **twins)
        if options.get("norm_type") == "rms":
            for name in ("norm1", "norm2", "norm3")[: 2 if encoder else 3]:
                setattr(twin, name, nn.RMSNorm(D_MODEL, eps=1e-5))
        what = "src" if encoder else "tgt"
        hint = "is_causal" if encoder else "tgt_is_causal"
        told = {f"{what}_mask": BLOCKED, hint: True} if forward else {}
        return functional_call(twin, named_layer(module, same), inputs, told)

    def ours(module: nn.Module, *inputs: Tensor) -> Tensor:
        return module(*inputs, **forward)

    # gelu, because rounding flips no kink of it
    module = kind(D_MODEL, HEADS, D_FF, activation="gelu", generator=seeded(0), **options)
    return Case(module, ours, theirs, 1 if encoder else 2)


def parallel() -> Case:
    def theirs(module: EncoderLayer, x: Tensor) -> Tensor:
        read, part = module.self_attention_norm(x), module.feed_forward
        twin = nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True)
        weights = named_attention(module.self_attention, same, "")
        attended = functional_call(twin, weights, (read, read, read))[0]
        return x + attended + part.down(F.gelu(part.up(read)))

    return layer(EncoderLayer, {}, parallel=True)._replace(theirs=theirs)


def rms_norm() -> Case:
    return Case(
        RMSNorm(D_MODEL, eps=0.1),
        lambda module, x: module(x),
        lambda module, x: F.rms_norm(x, (D_MODEL,), module.weight, 0.1),
    )


def feed_forward() -> Case:
    return Case(
        FeedForward(D_MODEL, D_FF, activation="gelu", bias=False, generator=seeded(0)),
        lambda module, x: module(x),
        lambda module, x: F.linear(F.gelu(F.linear(x, module.up.weight)), module.down.weight),
    )


def function(ours: Function, forward: dict[str, Any], key_heads: int = HEADS) -> Case:
    """Attention without weights of its own, called with ``forward``, which PyTorch's takes too."""

    def heads(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        query = x.unflatten(-1, (HEADS, -1)).transpose(1, 2)
        return query, query[:, :key_heads].flip(2), query[:, :key_heads] ** 2

    def theirs(module: nn.Module, x: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(*heads(x), **forward)

    return Case(nn.Module(), lambda module, x: ours(*heads(x), **forward), theirs)


def flash(*heads: Tensor, is_causal: bool = False, enable_gqa: bool = False, **more: Any) -> Tensor:
    """Our kernel, which shares key heads without being told, under PyTorch's names."""
    output = flash_attention(*heads, causal=is_causal, **more)
    assert isinstance(output, Tensor)
    return output


def turned(heads: Tensor, base: float, factor: float) -> Tensor:
    """A rotation as a product of complex numbers, in float64 between two roundings."""
    pairs = torch.view_as_complex(heads.double().unflatten(-1, (-1, 2)).contiguous())
    speed = base ** -torch.linspace(0, 1, pairs.shape[-1] + 1, dtype=torch.float64)[:-1]
    angles = torch.arange(heads.shape[-2])[:, None] / factor * speed
    turns = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(pairs * turns).flatten(-2).to(heads.dtype)


def from_formula(place: Function, forward: dict[str, Any], **options: Any) -> Case:
    """Attention whose queries and keys go through ``place(heads, norm)`` before they meet."""

    def theirs(module: MultiHeadAttention, x: Tensor) -> Tensor:
        query, key, value = (
            part(x).unflatten(-1, (-1, D_MODEL // HEADS)).transpose(1, 2)
            for part in (module.query_projection, module.key_projection, module.value_projection)
        )
        query, key = place(query, module.query_norm), place(key, module.key_norm)
        attended = F.scaled_dot_product_attention(query, key, value, enable_gqa=True)
        return module.output_projection(attended.transpose(1, 2).flatten(-2))

    return attention(forward, **options)._replace(theirs=theirs)


def rotary(base: float, factor: float) -> Case:
    return from_formula(
        lambda heads, norm: turned(heads, base, factor),
        {"positions": torch.arange(TOKENS)},
        rope_base=base,
        rope_factor=factor,
    )


def qk_norm(way: str) -> Case:
    def place(heads: Tensor, norm: nn.RMSNorm) -> Tensor:
        return F.rms_norm(heads, (D_MODEL // HEADS,), norm.weight, 0.1)

    return from_formula(place, {}, qk_norm=True, eps=0.1, num_kv_heads=2, attention=way)


CASES: dict[str, Callable[[], Case]] = {
    **{
        f"{name} {way}": partial(function, ours, forward, key_heads)
        for way, ours in (
            ("reference", lambda *heads, **given: reference_attention(*heads, **given)[0]),
            ("flash", flash),
        )
        for name, forward, key_heads in (
            ("scale", {"scale": 0.9}, HEADS),
            ("is_causal", {"is_causal": True}, HEADS),
            ("enable_gqa", {"enable_gqa": True}, 2),
            ("all three", {"scale": 0.1, "is_causal": True, "enable_gqa": True}, 1),
        )
    },
    **{
        f"attention.{name} {way}": partial(attention, forward, attention=way, **options)
        for way in get_args(Attention)
        for name, forward, options in (
            ("num_kv_heads=1", {}, {"num_kv_heads": 1}),
            ("num_kv_heads=2", {}, {"num_kv_heads": 2}),
            ("bias", {}, {"bias": False}),
            ("is_causal", {"is_causal": True}, {}),
        )
    },
    **{
        f"{kind.__name__}.{name}": partial(layer, kind, forward, **options)
        for kind in (EncoderLayer, DecoderLayer)
        for name, forward, options in (
            ("num_kv_heads", {}, {"num_kv_heads": 2}),
            ("bias", {}, {"bias": False}),
            ("eps", {}, {"eps": 0.1}),
            ("norm_type", {}, {"norm_type": "rms"}),
            ("is_causal", {"is_causal": True}, {}),
        )
    },
    "EncoderLayer.parallel": parallel,
    "RMSNorm.eps": rms_norm,
    "FeedForward.bias": feed_forward,
    "attention.rope_base": partial(rotary, 500.0, 1.0),
    "attention.rope_factor": partial(rotary, 10_000.0, 4.0),
    **{f"attention.qk_norm {way}": partial(qk_norm, way) for way in get_args(Attention)},
}


def run(case: Case, module: nn.Module, call: Function, dtype: torch.dtype) -> list[Tensor]:
    """The output, and the gradients of the inputs and of all parameters."""
    generator = seeded(1)
    inputs = [
        torch.randn(2, TOKENS, D_MODEL, generator=generator).to(torch.bfloat16).to(dtype)
        for _ in range(case.inputs)
    ]
    output = call(module, *(x.requires_grad_() for x in inputs))
    upstream = torch.randn(output.shape, generator=generator).to(torch.bfloat16).to(dtype)
    return [output, *torch.autograd.grad(output, [*inputs, *module.parameters()], upstream)]


def distance(results: list[Tensor], exact: list[Tensor]) -> Tensor:
    """Of the output, and of all gradients together, relative to their length."""
    parts = []
    for some, right in ((results[:1], exact[:1]), (results[1:], exact[1:])):
        apart = torch.cat([(x.double() - y).flatten() for x, y in zip(some, right, strict=True)])
        parts.append(apart.norm() / torch.cat([y.flatten() for y in right]).norm())
    return torch.stack(parts)


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_equal_those_of_pytorch(name: str) -> None:
    case = CASES[name]()
    disturb(case.module)
    half = case.module.to(torch.bfloat16)
    whole = deepcopy(half).double()
    exact = run(case, whole, case.theirs, torch.float64)
    torch.testing.assert_close(run(case, whole, case.ours, torch.float64), exact)
    ours, theirs = (
        distance(run(case, half, call, torch.bfloat16), exact) for call in (case.ours, case.theirs)
    )
    assert (ours <= 2 * theirs).all()


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_a_source_of_its_own_depth_and_vocabulary() -> None:
    """Against ``nn.Transformer`` with as many layers, and an embedding for each side."""
    config = ModelConfig(
        9, D_MODEL, HEADS, 1, D_FF, positions="none", num_encoder_layers=2, source_vocab_size=7
    )
    model = EncoderDecoder(config, generator=seeded(0)).double()
    disturb(model)
    twin = nn.Transformer(
        D_MODEL, HEADS, 2, 1, D_FF, 0.0, batch_first=True, norm_first=True, dtype=torch.float64
    )
    source, target = torch.tensor([[1, 6, 3, 5]]), torch.tensor([[1, 8, 2, 4, 7]])
    weights = named_stack(model.encoder, same, "encoder.")
    weights |= named_stack(model.decoder, same, "decoder.")
    assert model.source_embedding is not None
    tables = model.source_embedding.weight, model.embedding.weight
    rows = [table[ids] * D_MODEL**0.5 for table, ids in zip(tables, (source, target), strict=True)]
    hidden = functional_call(twin, weights, tuple(rows), {"tgt_mask": BLOCKED})
    expected, logits = hidden @ model.embedding.weight.mT, model(source, target)
    torch.testing.assert_close(logits, expected)
    upstream = torch.randn(logits.shape, generator=seeded(1), dtype=torch.float64)
    parameters = list(model.parameters())
    torch.testing.assert_close(
        torch.autograd.grad(logits, parameters, upstream),
        torch.autograd.grad(expected, parameters, upstream),
    )
