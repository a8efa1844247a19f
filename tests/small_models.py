"""Configurations and ids of small models, for the tests of models."""

from typing import Any, get_args

import pytest
import torch
from torch import Tensor, nn

from tests.twins import gradient
from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig, Positions

VOCAB = 20
every_position = pytest.mark.parametrize("positions", get_args(Positions))
every_norm = pytest.mark.parametrize("norm", ["pre", "post"])


def config(**values: Any) -> ModelConfig:
    usual = {"vocab_size": VOCAB, "d_model": 12, "num_heads": 2, "num_layers": 2, "d_ff": 20}
    return ModelConfig(**{**usual, "max_tokens": 16, "padding_id": 0, **values})


def ids(batch: int, tokens: int, seed: int = 0) -> Tensor:
    """Ids without padding."""
    return torch.randint(1, VOCAB, (batch, tokens), generator=seeded(seed))


def gradients(model: nn.Module) -> dict[str, Tensor]:
    return {name: gradient(parameter) for name, parameter in model.named_parameters()}
