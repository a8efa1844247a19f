"""Small models whose texts are known or can be enumerated, to test decoding with."""

from typing import Any

import torch
from torch import Tensor

from transformer_lesson import seeded
from transformer_lesson.cache import KeyValueCache
from transformer_lesson.config import ModelConfig
from transformer_lesson.decoding import Model
from transformer_lesson.models import DecoderOnly, EncoderDecoder

PAD, START, END = 0, 1, 2


class Table(DecoderOnly):
    """The token after ``i`` is drawn from row ``i`` of ``probabilities``."""

    def __init__(self, probabilities: list[list[float]]) -> None:
        super().__init__(
            ModelConfig(len(probabilities), d_model=2, num_heads=1, num_layers=1, d_ff=1)
        )
        self.log_probability = torch.tensor(probabilities).log()

    def forward(self, tokens: Tensor, cache: KeyValueCache | None = None) -> Tensor:
        """Return the rows of the tokens; a cache learns how many were read."""
        if cache is not None:
            cache.read(tokens)
            nothing = torch.zeros(len(tokens), 1, tokens.shape[1], 1)
            cache.layers[0].self_attention.append(nothing, nothing)
        return self.log_probability[tokens]


def toy(vocab_size: int, seed: int, *, source: bool = False) -> Model:
    """Return a tiny model that is sure of itself and looks at the whole text."""
    config = ModelConfig(
        vocab_size,
        d_model=8,
        num_heads=2,
        num_layers=1,
        d_ff=16,
        padding_id=None,
        positions="learned",
    )
    kind = EncoderDecoder if source else DecoderOnly
    model = kind(config, generator=seeded(seed)).double()
    with torch.no_grad():
        model.embedding.weight.mul_(3.0)
    return model


def small(source: bool, **values: Any) -> Model:
    config = ModelConfig(12, d_model=12, num_heads=2, num_layers=2, d_ff=20, padding_id=0, **values)
    return (EncoderDecoder if source else DecoderOnly)(config, generator=seeded(0))


def ids(batch: int, tokens: int, vocab_size: int = 12, seed: int = 0) -> Tensor:
    return torch.randint(3, vocab_size, (batch, tokens), generator=seeded(seed))
