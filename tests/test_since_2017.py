"""Parts of younger models: soft caps, norms on both sides, the rotation of Llama 3."""

import math
from typing import Any

import pytest
import torch
from torch.nn import functional as F

from tests.small_models import config, ids
from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention, causal_mask, reference_attention
from transformer_lesson.blocks import EncoderLayer, FeedForward
from transformer_lesson.models import DecoderOnly
from transformer_lesson.positions import rotate

X = torch.randn(2, 5, 12, generator=seeded(0), dtype=torch.float64)


def test_scores_approach_the_cap() -> None:
    query, key, value = 9 * torch.randn(3, 2, 5, 4, generator=seeded(0), dtype=torch.float64)
    scores = 3 * torch.tanh(query @ key.mT / 2 / 3)
    expected = scores.masked_fill(~causal_mask(5), -math.inf).softmax(-1)
    output, weights = reference_attention(query, key, value, causal_mask(5), softcap=3.0)
    torch.testing.assert_close((output, weights), (expected @ value, expected))
    layers = [
        MultiHeadAttention(12, 2, softcap=3.0, attention=way, generator=seeded(0)).double()
        for way in ("reference", "fused")
    ]
    outputs = [layer(X, is_causal=True) for layer in layers]
    torch.testing.assert_close(outputs[0][0], outputs[1][0])
    assert outputs[1][1] is None


def test_logits_approach_the_cap() -> None:
    capped, usual = (
        DecoderOnly(config(logit_softcap=cap), generator=seeded(0)).double() for cap in (0.5, None)
    )
    expected = 0.5 * torch.tanh(usual(ids(2, 5)) / 0.5)
    torch.testing.assert_close(capped(ids(2, 5)), expected)


@pytest.mark.parametrize("norm_type", ["layer", "rms"])
def test_norms_on_both_sides(norm_type: Any) -> None:
    layer: Any = EncoderLayer(12, 2, 20, norm="both", norm_type=norm_type, generator=seeded(0))
    layer.double()
    for number, parameter in enumerate(layer.parameters()):
        parameter.data += 0.1 * torch.randn(parameter.shape, generator=seeded(number))
    x = X + layer.self_attention_norm_after(layer.self_attention(layer.self_attention_norm(X))[0])
    x = x + layer.feed_forward_norm_after(layer.feed_forward(layer.feed_forward_norm(x)))
    torch.testing.assert_close(layer(X), x)


def test_a_gate_through_gelu() -> None:
    part: Any = FeedForward(12, 20, activation="geglu", generator=seeded(0)).double()
    expected = part.down(F.gelu(part.gate(X), approximate="tanh") * part.up(X))
    torch.testing.assert_close(part(X), expected)


def test_the_rotation_of_llama_3() -> None:
    """Its frequencies, each by the case that Llama 3.1's own code distinguishes."""
    width, factor, trained, base, frequencies = 16, 8.0, 64, 500.0, []
    for column in range(0, width, 2):
        frequency = base ** (-column / width)
        wavelength = 2 * math.pi / frequency
        if wavelength > trained:
            frequency /= factor
        elif wavelength > trained / 4:
            smooth = (trained / wavelength - 1) / (4 - 1)
            frequency = (1 - smooth) * frequency / factor + smooth * frequency
        frequencies.append(frequency)
    x = torch.randn(7, width, generator=seeded(0), dtype=torch.float64)
    angles = torch.arange(7)[:, None] * torch.tensor(frequencies, dtype=torch.float64)
    turned = torch.view_as_complex(x.unflatten(-1, (-1, 2))) * torch.polar(angles * 0 + 1, angles)
    found = rotate(x, torch.arange(7), base=base, factor=factor, trained_tokens=trained)
    torch.testing.assert_close(found, torch.view_as_real(turned).flatten(-2))
    values: Any = {"positions": "rotary", "num_heads": 1, "d_model": 16}
    scaled = {"rope_base": base, "rope_factor": factor, "rope_scaling": "llama3"}
    model = DecoderOnly(config(**values, **scaled, rope_tokens=trained))
    attention: Any = model.decoder.layers[0]
    placed = attention.self_attention.double()._placed(
        x[None], torch.nn.Identity(), torch.arange(7)
    )
    torch.testing.assert_close(placed[0, 0], found)
