"""blocks.py against PyTorch's layers with the same weights, and against the papers' formulas."""

import inspect
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.twins import disturb, gradient, named_layer, pytorchs_layer
from transformer_lesson import seeded
from transformer_lesson.attention import (
    Attention,
    AttentionOptions,
    MultiHeadAttention,
    causal_mask,
    padding_mask,
)
from transformer_lesson.blocks import DecoderLayer, EncoderLayer, FeedForward, NormPlace, RMSNorm
from transformer_lesson.config import ModelConfig

D_MODEL, HEADS, D_FF = 12, 3, 20
PADDED = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]])
MEMORY_PADDED = torch.tensor([[1, 1, 1, 0], [1, 1, 1, 1]])


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=seeded(seed), dtype=torch.float64).requires_grad_()


def assert_same_gradients(
    ours: EncoderLayer | DecoderLayer, theirs: nn.Module, named: dict[str, Tensor]
) -> None:
    expected = dict(theirs.named_parameters())
    assert set(named) == set(expected)
    for name, got in named.items():
        torch.testing.assert_close(got, expected[name].grad, msg=f"of {name}")


@pytest.mark.parametrize("attention", ["reference", "fused"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("kind", [EncoderLayer, DecoderLayer])
def test_layers_equal_pytorchs(
    kind: Any, norm: NormPlace, activation: str, attention: Attention
) -> None:
    options: Any = {"norm": norm, "activation": activation, "attention": attention}
    ours = kind(D_MODEL, HEADS, D_FF, generator=seeded(0), **options).double()
    disturb(ours)
    decodes = kind is DecoderLayer
    theirs = pytorchs_layer(decodes, D_MODEL, HEADS, D_FF, norm, activation).double()
    theirs.load_state_dict(named_layer(ours, torch.detach))
    inputs, same = (
        [draw(2, 5, D_MODEL), draw(2, 4, D_MODEL, seed=2)][: 1 + decodes] for _ in range(2)
    )
    masks = causal_mask(5) & padding_mask(PADDED, 0), padding_mask(MEMORY_PADDED, 0)
    output = ours(*inputs, *masks[: 1 + decodes])
    read = "tgt" if decodes else "src"  # PyTorch's masks have True = blocked.
    blocked = {f"{read}_mask": ~causal_mask(5), f"{read}_key_padding_mask": PADDED == 0}
    if decodes:
        blocked["memory_key_padding_mask"] = MEMORY_PADDED == 0
    expected = theirs(*same, **blocked)
    torch.testing.assert_close(output, expected)
    upstream = draw(2, 5, D_MODEL, seed=1)
    output.backward(upstream)
    expected.backward(upstream)
    for one, other in zip(inputs, same, strict=True):
        torch.testing.assert_close(one.grad, other.grad)
    assert_same_gradients(ours, theirs, named_layer(ours, gradient))


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_dropout_acts_where_pytorch_has_it(norm: NormPlace) -> None:
    """Both draw in the same order, so from one state they drop the same numbers.

    One sentence, because PyTorch lays a batch of them out in another order.
    """
    ours = DecoderLayer(D_MODEL, HEADS, D_FF, dropout=0.3, norm=norm, generator=seeded(0)).double()
    theirs = nn.TransformerDecoderLayer(
        D_MODEL, HEADS, D_FF, 0.3, batch_first=True, norm_first=norm == "pre", dtype=torch.float64
    )
    theirs.load_state_dict(named_layer(ours, torch.detach))
    x, memory = draw(1, 5, D_MODEL), draw(1, 4, D_MODEL, seed=2)
    outputs = []
    with torch.random.fork_rng():
        for layer in (ours, theirs):
            torch.manual_seed(0)
            outputs.append(layer(x, memory))
    torch.testing.assert_close(*outputs)
    assert not torch.allclose(outputs[0], ours.eval()(x, memory))
    torch.testing.assert_close(ours(x, memory), theirs.eval()(x, memory))


@pytest.mark.parametrize(
    ("activation", "function"),
    [
        ("relu", lambda x: x.clamp(min=0)),
        ("gelu", lambda x: x * (1 + torch.erf(x / 2**0.5)) / 2),
        ("gelu_tanh", lambda x: F.gelu(x, approximate="tanh")),
    ],
)
def test_feed_forward_follows_its_formula(activation: str, function: object) -> None:
    layer = FeedForward(4, 7, activation=activation, generator=seeded(0)).double()  # type: ignore[arg-type]
    disturb(layer)
    x = draw(2, 3, 4)
    assert callable(function)
    inside = function(x @ layer.up.weight.mT + layer.up.bias)
    torch.testing.assert_close(layer(x), inside @ layer.down.weight.mT + layer.down.bias)


def test_swiglu_multiplies_by_a_gate() -> None:
    layer = FeedForward(4, 7, activation="swiglu", generator=seeded(0)).double()
    disturb(layer)
    x = draw(2, 3, 4)
    gate, up = layer.gate(x), layer.up(x)
    torch.testing.assert_close(layer(x), layer.down(gate * gate.sigmoid() * up))
    assert sum(p.numel() for p in layer.parameters()) == 2 * (4 * 7 + 7) + 7 * 4 + 4


@pytest.mark.parametrize("eps", [1e-5, 0.1])
def test_rms_norm_equals_pytorch(eps: float) -> None:
    ours, theirs = RMSNorm(6, eps=eps).double(), nn.RMSNorm(6, eps=eps, dtype=torch.float64)
    disturb(ours)
    theirs.load_state_dict(ours.state_dict())
    x, y = draw(2, 3, 6), draw(2, 3, 6)
    upstream = draw(2, 3, 6, seed=1)
    ours(x).backward(upstream)
    theirs(y).backward(upstream)
    torch.testing.assert_close(ours(x), theirs(y))
    torch.testing.assert_close(x.grad, y.grad)
    torch.testing.assert_close(ours.weight.grad, theirs.weight.grad)


def test_rms_norm_of_zeros_is_zero() -> None:
    x = torch.zeros(1, 2, 6, requires_grad=True)
    output = RMSNorm(6)(x)
    output.sum().backward()
    assert output.eq(0).all()
    assert x.grad is not None
    assert x.grad.isfinite().all()


def test_rms_norm_is_used_in_layers() -> None:
    encoder, decoder = (kind(8, 2, 16, norm_type="rms") for kind in (EncoderLayer, DecoderLayer))
    assert sum(isinstance(m, RMSNorm) for m in encoder.modules()) == 2
    assert sum(isinstance(m, RMSNorm) for m in decoder.modules()) == 3
    assert not any(isinstance(m, nn.LayerNorm) for m in encoder.modules())


@pytest.mark.parametrize("attention", ["reference", "fused"])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_query_that_sees_nothing_keeps_its_residual(
    norm: NormPlace, attention: Attention
) -> None:
    """Attention adds only the bias of its output layer there, whatever the values are."""
    layer = EncoderLayer(8, 2, 16, norm=norm, attention=attention, generator=seeded(0)).double()
    x = draw(1, 3, 8)
    mask = torch.tensor([[True, False, False], [False, False, False], [True, True, True]])
    output = layer(x, mask)
    upstream = draw(8, seed=1)
    (given,) = torch.autograd.grad(output[0, 1] @ upstream, x)
    assert given.isfinite().all()
    assert given[0, 1].ne(0).any()
    assert given[0, [0, 2]].eq(0).all()
    with torch.no_grad():
        layer.self_attention.value_projection.weight.mul_(3.0)
        changed = layer(x, mask)
    torch.testing.assert_close(output[:, 1], changed[:, 1])
    assert not torch.allclose(output[:, 0], changed[:, 0])


def test_layers_leave_the_global_generator_alone_and_repeat() -> None:
    before = torch.get_rng_state()
    for kind in (EncoderLayer, DecoderLayer):
        first, second = (kind(8, 2, 16, generator=seeded(3)) for _ in range(2))
        for one, other in zip(first.parameters(), second.parameters(), strict=True):
            assert torch.equal(one, other)
    assert torch.equal(before, torch.get_rng_state())


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match=r"activation='swish'; expected .*'relu'.*'gelu'"):
        FeedForward(4, 8, activation="swish")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="d_ff=0; expected an integer, 1 or more"):
        FeedForward(4, 0)
    with pytest.raises(ValueError, match=r"norm='before'; expected .*'pre'"):
        EncoderLayer(4, 2, 8, norm="before")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"norm_type='batch'; expected .*'layer'"):
        DecoderLayer(4, 2, 8, norm_type="batch")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="d_model=0; expected an integer, 1 or more"):
        RMSNorm(0)
    with pytest.raises(ValueError, match=r"shape \(3, 4\); expected \(batch, tokens, 4\)"):
        EncoderLayer(4, 2, 8)(torch.ones(3, 4))
    with pytest.raises(TypeError, match=r"x has dtype torch\.int64; .* through an embedding first"):
        EncoderLayer(4, 2, 8)(torch.ones(1, 3, 4, dtype=torch.long))
    layer = DecoderLayer(4, 2, 8)
    with pytest.raises(TypeError, match="memory is a NoneType; expected a tensor"):
        layer(torch.ones(2, 3, 4), None)
    with pytest.raises(ValueError, match="1 sources for 2 targets; expected one for each"):
        layer(torch.ones(2, 3, 4), torch.ones(1, 3, 4))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_rms_norm_of_half_precision_is_computed_in_float32(dtype: torch.dtype) -> None:
    ours, theirs = RMSNorm(6, dtype=dtype), nn.RMSNorm(6, eps=1e-5, dtype=dtype)
    disturb(ours)
    theirs.load_state_dict(ours.state_dict())
    for size in (1.0, 300.0):  # 300² is no float16 number
        x = (size * draw(2, 3, 6).detach()).to(dtype)
        normalized = ours(x)
        assert normalized.dtype == dtype
        exact = nn.functional.rms_norm(x.double(), (6,), ours.weight.double(), 1e-5)
        error = (normalized.double() - exact).abs().max().item()
        assert error <= exact.abs().max().item() * torch.finfo(dtype).eps
        torch.testing.assert_close(normalized, theirs(x))


def test_parallel_parts_read_the_same_tokens() -> None:
    layer = EncoderLayer(D_MODEL, HEADS, D_FF, parallel=True, generator=seeded(0)).double()
    disturb(layer)
    x = draw(2, 5, D_MODEL)
    read = layer.self_attention_norm(x)
    expected = x + layer.self_attention(read)[0] + layer.feed_forward(read)
    torch.testing.assert_close(layer(x), expected)
    assert sum(isinstance(m, nn.LayerNorm) for m in layer.modules()) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"parallel": True, "norm": "post"}, "parallel=True with norm='post'; .* Use norm='pre'"),
        ({"parallel": "yes"}, "parallel='yes'; expected True or False"),
        ({"bias": 0}, "bias=0; expected True or False"),
        ({"qk_norm": 1}, "qk_norm=1; expected True or False"),
        ({"eps": 0.0}, r"eps=0\.0; expected a positive number"),
        ({"eps": "1e-5", "norm_type": "rms"}, "eps='1e-5'; expected a positive number"),
        ({"rope_base": -1.0}, r"rope_base=-1\.0; expected a positive number"),
        ({"rope_factor": float("inf")}, "rope_factor=inf; expected a positive number"),
    ],
)
def test_new_arguments_that_cannot_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        EncoderLayer(4, 2, 8, **options)


def test_an_option_of_attention_is_written_in_two_files() -> None:
    options = get_type_hints(AttentionOptions)
    assert options.keys() <= inspect.signature(MultiHeadAttention).parameters.keys()
    assert options.keys() == ModelConfig(vocab_size=9).attention_options().keys()
    layer = EncoderLayer(4, 2, 8, qk_norm=True, rope_base=5.0)
    assert isinstance(layer.self_attention.query_norm, nn.RMSNorm)
    assert layer.self_attention.rope_base == 5.0
    with pytest.raises(TypeError, match="qk_nrom"):
        EncoderLayer(4, 2, 8, qk_nrom=True)  # type: ignore[call-arg]
    folder = Path(inspect.getfile(EncoderLayer)).parent
    text = {file.stem: file.read_text(encoding="utf-8") for file in folder.glob("*.py")}
    for option in options:
        known = {name for name in ("config", "blocks", "stacks", "models") if option in text[name]}
        assert option in text["attention"]
        assert known == {"config"}


def test_a_decoder_layer_cannot_be_parallel() -> None:
    with pytest.raises(ValueError, match=r"for layers with one attention.*Use parallel=False"):
        DecoderLayer(4, 2, 8, parallel=True)


@pytest.mark.parametrize("kind", [EncoderLayer, DecoderLayer])
def test_device_dtype_and_the_default_device_are_honoured(kind: type[EncoderLayer]) -> None:
    usual = kind(4, 2, 8, generator=seeded(0))
    half = kind(4, 2, 8, generator=seeded(0), dtype=torch.bfloat16)
    for name, weight in half.state_dict().items():  # the same numbers, rounded
        assert torch.equal(weight, usual.state_dict()[name].bfloat16())
    assert all(p.is_meta for p in kind(4, 2, 8, generator=seeded(0), device="meta").parameters())
    with torch.device("meta"):
        assert all(p.is_meta for p in kind(4, 2, 8, generator=seeded(0)).parameters())
