"""models.recorded_weights and replaced_heads: read and changed, without a trace in the model."""

import pytest
import torch
from torch import nn

from transformer_lesson import seeded
from transformer_lesson.attention import Attention, MultiHeadAttention, causal_mask
from transformer_lesson.models import (
    DecoderOnly,
    EncoderDecoder,
    ModelConfig,
    recorded_weights,
    replaced_heads,
)

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


def by_hand(model_: EncoderDecoder, other: torch.Tensor) -> torch.Tensor:
    """What the model says when head 1 of its last cross-attention gives ``other``, by a hook."""

    def put(module: nn.Module, args: tuple[torch.Tensor]) -> torch.Tensor:
        heads = args[0].clone()  # (batch, tokens, heads * d_head)
        heads[..., 4:] = other
        return heads

    projection = model_.get_submodule("decoder.layers.1.cross_attention.output_projection")
    hook = projection.register_forward_pre_hook(put)
    try:
        return model_(SOURCE, TARGET)
    finally:
        hook.remove()


@pytest.mark.parametrize("attention", ["reference", "fused"])
@pytest.mark.parametrize("other", [torch.zeros(()), torch.arange(4.0), torch.ones(1, 3, 4)])
def test_a_chosen_head_gives_what_it_is_told_and_the_others_what_they_gave(
    attention: Attention, other: torch.Tensor
) -> None:
    model_, name = model(attention), "decoder.layers.1.cross_attention"
    before = model_(SOURCE, TARGET)
    with replaced_heads(model_, {name: {1: other}}):
        changed = model_(SOURCE, TARGET)
    torch.testing.assert_close(changed, by_hand(model_, other))
    assert not torch.allclose(changed, before)
    with pytest.raises(RuntimeError, match="on purpose"), replaced_heads(model_, {name: {1: 0}}):
        raise RuntimeError("on purpose")
    assert torch.equal(model_(SOURCE, TARGET), before)


def test_heads_that_are_replaced_let_gradients_reach_the_others() -> None:
    model_ = model("reference")
    projection = model_.get_submodule("encoder.layers.0.self_attention.value_projection")
    with replaced_heads(model_, {"encoder.layers.0.self_attention": {0: 0.0}}):
        model_(SOURCE, TARGET).sum().backward()
    gradient = next(projection.parameters()).grad
    assert gradient is not None
    assert gradient[:4].eq(0).all() and gradient[4:].ne(0).any()


def test_heads_that_do_not_exist_are_named() -> None:
    model_ = model("reference")
    with pytest.raises(ValueError, match="no attention is called 'encoder'; there are "):
        replaced_heads(model_, {"encoder": {0: 0.0}}).__enter__()
    with pytest.raises(ValueError, match="has no head 2; its heads are 0 to 1"):
        replaced_heads(model_, {"encoder.layers.0.self_attention": {2: 0.0}}).__enter__()
    wrong = {"encoder.layers.0.self_attention": {0: torch.ones(3)}}
    with pytest.raises(RuntimeError), replaced_heads(model_, wrong):
        model_(SOURCE, TARGET)
