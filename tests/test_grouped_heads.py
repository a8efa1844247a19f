"""Fewer heads of keys and values than of queries."""

from typing import Any

import pytest
import torch
from torch import Tensor

from transformer_lesson import seeded
from transformer_lesson.attention import Attention, MultiHeadAttention, causal_mask
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly

D_MODEL, HEADS = 24, 4
ways = pytest.mark.parametrize("attention", ["reference", "fused", "flash"])


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(shape, generator=seeded(seed), dtype=torch.float64).to(dtype)


def config(**values: Any) -> ModelConfig:
    usual = {"vocab_size": 20, "d_model": D_MODEL, "num_heads": HEADS, "d_ff": 16}
    return ModelConfig(**{**usual, "positions": "rotary", **values})


@torch.no_grad()
@ways
@pytest.mark.parametrize("kv_heads", [1, 2])
def test_the_cache_holds_the_shared_heads_alone(kv_heads: int, attention: Attention) -> None:
    tokens = torch.randint(1, 20, (3, 7), generator=seeded(0))
    model = DecoderOnly(config(num_kv_heads=kv_heads, attention=attention), generator=seeded(0))
    cache = KeyValueCache(2)
    got = [model(new, cache) for new in tokens.split([4, 1, 2], dim=1)]
    torch.testing.assert_close(torch.cat(got, dim=1), model(tokens))
    # 2 layers, keys and values, 3 texts, 7 tokens, heads of width 6, 4 bytes each
    assert cache.nbytes == 2 * 2 * 3 * 7 * kv_heads * 6 * 4


@pytest.mark.parametrize("attention", ["reference", "fused"])
def test_is_causal_joins_the_mask(attention: Attention) -> None:
    layer = MultiHeadAttention(D_MODEL, HEADS, attention=attention, generator=seeded(0)).double()
    tokens, mask = draw(2, 5, D_MODEL), torch.rand(5, 5, generator=seeded(1)) < 0.6
    expected, _ = layer(tokens, mask=mask & causal_mask(5))
    torch.testing.assert_close(layer(tokens, mask=mask, is_causal=True)[0], expected)
    last, _ = layer(tokens[:, 3:], tokens, is_causal=True)  # the last query is the last key
    torch.testing.assert_close(last, layer(tokens, is_causal=True)[0][:, 3:])


def test_qk_norm_keeps_the_dtype_of_mixed_precision() -> None:
    layer = MultiHeadAttention(D_MODEL, HEADS, qk_norm=True, generator=seeded(0))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert layer(draw(2, 5, D_MODEL, dtype=torch.float32))[0].dtype == torch.bfloat16


@ways
def test_heads_may_be_wider_than_their_share(attention: Attention) -> None:
    tokens = torch.randint(1, 20, (3, 7), generator=seeded(0))
    values = config(d_head=10, num_kv_heads=2, num_layers=1, attention=attention)
    model = DecoderOnly(values, generator=seeded(0)).double()
    layer: Any = model.decoder.layers[0]
    layer = layer.self_attention
    assert layer.query_projection.weight.shape == layer.output_projection.weight.T.shape == (40, 24)
    assert layer.key_projection.weight.shape == (20, 24)
    twin = DecoderOnly(config(**{**vars(values), "attention": "reference"})).double()
    twin.load_state_dict(model.state_dict())
    torch.testing.assert_close(model(tokens), twin(tokens))
