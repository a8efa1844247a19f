"""models.recorded_weights: the weights of a forward pass, without a trace left in the model."""

import pytest
import torch
from torch import nn

from transformer_lesson import seeded
from transformer_lesson.attention import Attention, MultiHeadAttention, causal_mask
from transformer_lesson.models import DecoderOnly, EncoderDecoder, ModelConfig, recorded_weights

SOURCE = torch.tensor([[3, 4, 5, 0]])
TARGET = torch.tensor([[6, 7, 8]])


def model(attention: Attention) -> EncoderDecoder:
    return EncoderDecoder(ModelConfig(10, 8, 2, 2, 16, attention=attention), generator=seeded(0))


@pytest.mark.parametrize("attention", ["reference", "fused"])
def test_weights_are_recorded_by_name_in_order_of_the_layers(attention: Attention) -> None:
    model_ = model(attention)
    with recorded_weights(model_) as weights:
        model_(SOURCE, TARGET)
    names = [f"encoder.layers.{i}.self_attention" for i in (0, 1)]
    names += [f"decoder.layers.{i}.{kind}_attention" for i in (0, 1) for kind in ("self", "cross")]
    assert list(weights) == names
    assert [tuple(w.shape[-2:]) for w in weights.values()] == [(4, 4)] * 2 + [(3, 3), (3, 4)] * 2
    for name, recorded in weights.items():
        assert recorded.shape[:2] == (1, 2)
        assert not recorded.requires_grad
        torch.testing.assert_close(recorded.sum(-1), torch.ones_like(recorded[..., 0]))
        if "decoder" not in name or "cross" in name:
            assert recorded[..., 3].eq(0).all()  # padding
        else:
            assert recorded[..., ~causal_mask(3)].eq(0).all()


@pytest.mark.parametrize("attention", ["reference", "fused"])
def test_the_model_is_as_before_afterwards_even_after_an_error(attention: Attention) -> None:
    model_ = model(attention)
    before = model_(SOURCE, TARGET)
    with recorded_weights(model_) as weights:
        torch.testing.assert_close(model_(SOURCE, TARGET), before)
    with pytest.raises(RuntimeError, match="on purpose"), recorded_weights(model_):
        raise RuntimeError("on purpose")
    kept = dict(weights)
    assert torch.equal(model_(SOURCE, TARGET), before)
    assert all(weights[name] is kept[name] for name in kept)
    for module in model_.modules():
        assert not module._forward_hooks
        assert not isinstance(module, MultiHeadAttention) or module.attention == attention


def test_the_last_forward_pass_counts() -> None:
    model_ = DecoderOnly(ModelConfig(10, 8, 2, 1, 16), generator=seeded(0))
    with recorded_weights(model_) as weights:
        model_(TARGET)
        model_(SOURCE[:, :2])
    assert weights["decoder.layers.0.self_attention"].shape == (1, 2, 2, 2)


def test_of_one_layer_they_are_what_it_returns_and_other_modules_are_refused() -> None:
    layer = MultiHeadAttention(8, 2, generator=seeded(0))
    with recorded_weights(nn.Sequential(layer)) as weights:
        _, expected = layer(torch.randn(1, 3, 8, generator=seeded(1)))
    torch.testing.assert_close(weights["0"], expected)
    with pytest.raises(ValueError, match="Linear holds no MultiHeadAttention"):
        recorded_weights(nn.Linear(2, 2)).__enter__()
