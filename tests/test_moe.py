"""Mixtures of experts: as a loop over tokens computes them, balanced, and with tokens dropped."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.small_models import config, ids
from transformer_lesson import seeded
from transformer_lesson.blocks import FeedForward
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.models import DecoderOnly, EncoderDecoder
from transformer_lesson.moe import MixtureOfExperts, balance_loss, recorded_routes

X = torch.randn(3, 5, 6, generator=seeded(1), dtype=torch.float64)


def mixture(**values: Any) -> MixtureOfExperts:
    experts = (FeedForward(6, 8, activation="swiglu", generator=seeded(i)) for i in range(4))
    return MixtureOfExperts(6, experts, generator=seeded(9), **values).double()


def looped(layer: MixtureOfExperts, x: Tensor, most: int = 99) -> Tensor:
    """Token by token, as Mixtral's layer is described."""
    output, taken = torch.zeros_like(x.view(-1, 6)), [0] * 4
    for row, token in enumerate(x.view(-1, 6)):
        probability = (layer.router.weight @ token).exp()
        chosen = sorted(range(4), key=lambda e: -probability[e])[: layer.experts_per_token]
        for e in chosen:
            taken[e] += 1
            if taken[e] <= most:
                output[row] += probability[e] / probability[chosen].sum() * layer.experts[e](token)
    return output.view(x.shape)


@pytest.mark.parametrize("experts_per_token", [1, 2, 4])
@pytest.mark.parametrize("capacity", [None, 0.5, 1.0])
def test_equals_a_loop(experts_per_token: int, capacity: float | None) -> None:
    layer, x = mixture(experts_per_token=experts_per_token, capacity=capacity), X.clone()
    x.requires_grad_()
    torch.testing.assert_close(layer.eval()(x), looped(layer, x))
    most = 99 if capacity is None else math.ceil(capacity * 15 * experts_per_token / 4)
    ours, theirs = layer.train()(x), looped(layer, x, most)
    torch.testing.assert_close(ours, theirs)
    inputs = [x, *layer.parameters()]
    (got, expected) = (
        torch.autograd.grad(y.square().sum(), inputs, allow_unused=True) for y in (ours, theirs)
    )
    torch.testing.assert_close(got, expected)


def test_balance_is_1_where_tokens_are_spread_evenly() -> None:
    even = torch.eye(4, dtype=torch.float64).repeat(3, 1).requires_grad_()
    loss = balance_loss(even, even.topk(1).indices)
    torch.testing.assert_close(loss, torch.tensor(1.0, dtype=torch.float64))
    one = torch.tensor([[9.0, 0, 0, 0]] * 12, dtype=torch.float64, requires_grad=True)
    loss = balance_loss(one, one.topk(1).indices)
    assert 3.9 < loss < 4
    (slope,) = torch.autograd.grad(loss, one)
    assert (slope[:, 0] > 0).all() and (slope[:, 1:] < 0).all()


@pytest.mark.parametrize("kind", [DecoderOnly, EncoderDecoder])
def test_a_model_of_experts(kind: Any) -> None:
    values = config(num_experts=4, expert_capacity=0.5, initialization="gpt2", d_ff=400)
    model, dense = kind(values, generator=seeded(0)), kind(config(initialization="gpt2", d_ff=400))
    texts = [ids(2, 9)] * (2 if kind is EncoderDecoder else 1)
    with recorded_routes(model) as routes:
        loss = model(*texts).square().sum()
    assert [logits.shape for logits, _ in routes] == [(18, 4)] * (2 * len(texts))
    (loss + sum(balance_loss(*route) for route in routes)).backward()
    assert all(p.grad is not None for n, p in model.named_parameters() if "router" in n)
    name = "decoder.layers.0.feed_forward.experts.3.down.weight"
    usual = dense.get_parameter("decoder.layers.0.feed_forward.down.weight").std()
    assert model.get_parameter(name).std().item() == pytest.approx(usual.item(), rel=0.1)
    if isinstance(model, DecoderOnly):
        cache = KeyValueCache(2)
        with torch.no_grad():
            got = [model.eval()(new, cache) for new in texts[0].split([3, 1, 5], dim=1)]
        torch.testing.assert_close(torch.cat(got, 1), model(*texts))
