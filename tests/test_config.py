"""config.py: what a configuration refuses, and the spread of the first weights."""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly

WIDE = ModelConfig(500, d_model=128, num_heads=4, num_layers=2, d_ff=256, max_tokens=64)


def changed(**values: Any) -> ModelConfig:
    return ModelConfig(**{**vars(WIDE), **values})


def weights_of(model: torch.nn.Module) -> dict[str, Tensor]:
    return {name: parameter.detach() for name, parameter in model.named_parameters()}


def assert_std(tensor: Tensor, std: float) -> None:
    """Within 4 standard errors of a normal sample's deviation, and centred."""
    tolerance = 4 / math.sqrt(2 * tensor.numel())
    assert abs(tensor.std().item() / std - 1) < tolerance
    assert abs(tensor.mean().item()) < 4 * std / math.sqrt(tensor.numel())


@pytest.mark.parametrize("kind", [EncoderOnly, DecoderOnly, EncoderDecoder])
def test_papers_initialization(kind: type[EncoderDecoder]) -> None:
    model = kind(changed(tie_embeddings=False), generator=seeded(0))
    for name, weight in weights_of(model).items():
        if name == "embedding.weight":
            assert_std(weight, 128**-0.5)
        elif weight.dim() == 2:
            edge = math.sqrt(6 / sum(weight.shape))  # Xavier uniform
            assert_std(weight, edge / math.sqrt(3))
            assert weight.abs().max() <= edge
        else:
            assert weight.eq(1.0 if name.endswith("norm.weight") else 0.0).all(), name


@pytest.mark.parametrize(
    ("kind", "additions"), [(EncoderOnly, 4), (DecoderOnly, 4), (EncoderDecoder, 10)]
)
def test_gpt2s_initialization(kind: type[EncoderDecoder], additions: int) -> None:
    config = changed(initialization="gpt2", positions="learned", tie_embeddings=False)
    if kind is EncoderDecoder:
        config = replace(config, source_vocab_size=400)
    model = kind(config, generator=seeded(0))
    ends = 0
    for name, weight in weights_of(model).items():
        if name.endswith(("output_projection.weight", "down.weight")):
            ends += 1
            assert_std(weight, 0.02 / math.sqrt(additions))
        elif weight.dim() == 2:
            assert_std(weight, 0.02)
        else:
            assert weight.eq(1.0 if name.endswith("norm.weight") else 0.0).all(), name
    assert ends == additions
    tokens = torch.tensor([[3]])
    torch.testing.assert_close(
        model.embedding(tokens)[0, 0],
        model.embedding.weight[3] + weights_of(model)["embedding.positions.table"][0],
    )


@pytest.mark.parametrize("initialization", ["paper", "gpt2"])
@pytest.mark.parametrize("kind", [EncoderOnly, DecoderOnly, EncoderDecoder])
@pytest.mark.parametrize("positions", ["learned", "relative"])
def test_a_seed_gives_the_same_weights_and_the_global_generator_stays(
    kind: type[EncoderDecoder], initialization: str, positions: str
) -> None:
    config = ModelConfig(
        50,
        16,
        2,
        1,
        32,
        initialization=initialization,  # type: ignore[arg-type]
        positions=positions,  # type: ignore[arg-type]
        tie_embeddings=False,
    )
    before = torch.get_rng_state()
    first, second, third = (kind(config, generator=seeded(seed)) for seed in (3, 3, 4))
    assert torch.equal(before, torch.get_rng_state())
    for name, weight in weights_of(first).items():
        assert torch.equal(weight, weights_of(second)[name])
        if weight.dim() == 2:
            assert not torch.equal(weight, weights_of(third)[name]), name


def test_younger_fields_do_not_show() -> None:
    """A checkpoint knows its model by this text, which new fields must not change."""
    old = {
        "vocab_size": 500, "d_model": 128, "num_heads": 4, "num_layers": 2, "d_ff": 256,
        "max_tokens": 64, "max_distance": 32, "dropout": 0.0, "padding_id": 0, "norm": "pre",
        "norm_type": "layer", "positions": "sinusoidal", "activation": "relu",
        "attention": "fused", "initialization": "paper", "tie_embeddings": True,
    }  # fmt: skip
    assert ModelConfig(**old) == EncoderDecoder(WIDE).config  # type: ignore[arg-type]
    shown = ", ".join(f"{name}={value!r}" for name, value in old.items())
    assert repr(ModelConfig(**old)) == f"ModelConfig({shown})"  # type: ignore[arg-type]
    assert repr(changed(num_kv_heads=2)).endswith("tie_embeddings=True, num_kv_heads=2)")


def test_padding_is_usual_in_models_with_an_encoder_alone() -> None:
    assert EncoderOnly(WIDE).config.padding_id == EncoderDecoder(WIDE).config.padding_id == 0
    assert DecoderOnly(WIDE).config.padding_id is None
    assert DecoderOnly(changed(padding_id=3)).config.padding_id == 3
    assert EncoderDecoder(changed(padding_id=None)).config.padding_id is None
