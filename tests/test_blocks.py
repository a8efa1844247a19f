"""blocks.py where whole models (test_models) and test_parity do not say it."""

import inspect
import re
from pathlib import Path
from typing import get_type_hints

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.twins import disturb, named_layer
from transformer_lesson import seeded
from transformer_lesson.attention import AttentionOptions, MultiHeadAttention
from transformer_lesson.blocks import DecoderLayer, EncoderLayer, FeedForward, NormPlace, RMSNorm
from transformer_lesson.config import ModelConfig

D_MODEL, HEADS, D_FF = 12, 3, 20


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=seeded(seed), dtype=torch.float64).requires_grad_()


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


def test_the_tanh_form_of_gelu_is_pytorchs() -> None:
    layer = FeedForward(4, 7, activation="gelu_tanh", generator=seeded(0)).double()
    disturb(layer)
    x = draw(2, 3, 4)
    torch.testing.assert_close(layer(x), layer.down(F.gelu(layer.up(x), approximate="tanh")))


def test_swiglu_multiplies_by_a_gate() -> None:
    layer = FeedForward(4, 7, activation="swiglu", generator=seeded(0)).double()
    disturb(layer)
    x = draw(2, 3, 4)
    gate, up = layer.gate(x), layer.up(x)
    torch.testing.assert_close(layer(x), layer.down(gate * gate.sigmoid() * up))
    assert sum(p.numel() for p in layer.parameters()) == 2 * (4 * 7 + 7) + 7 * 4 + 4


def test_rms_norm_of_zeros_is_zero() -> None:
    x = torch.zeros(1, 2, 6, requires_grad=True)
    output = RMSNorm(6)(x)
    output.sum().backward()
    assert output.eq(0).all()
    assert x.grad is not None
    assert x.grad.isfinite().all()


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


def test_an_option_of_attention_is_written_in_two_files() -> None:
    options = get_type_hints(AttentionOptions)
    assert options.keys() <= inspect.signature(MultiHeadAttention).parameters.keys()
    assert options.keys() == ModelConfig(vocab_size=9).attention_options(0).keys()
    layer = EncoderLayer(4, 2, 8, qk_norm=True, rope_base=5.0)
    assert isinstance(layer.self_attention.query_norm, nn.RMSNorm)
    assert layer.self_attention.rope_base == 5.0
    with pytest.raises(TypeError, match="qk_nrom"):
        EncoderLayer(4, 2, 8, qk_nrom=True)  # type: ignore[call-arg]
    folder = Path(inspect.getfile(EncoderLayer)).parent
    text = {file.stem: file.read_text(encoding="utf-8") for file in folder.glob("*.py")}
    for option in options:
        known = {
            name
            for name in ("config", "blocks", "stacks", "models")
            if re.search(rf"\b{option}[=:]", text[name])
        }
        assert option in text["attention"]
        assert known == {"config"}
