"""The small model and the sentences that these tests train on."""

from pathlib import Path

import torch

from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly
from transformer_lesson.training import TokenBatches, TrainingConfig, next_token, train

SENTENCES = [
    [1, *((3 + (start + step) % 11) for step in range(4 + start % 6)), 2] for start in range(120)
]


def small_model(seed: int = 0, **changes: object) -> DecoderOnly:
    """A decoder that learns to count within a few steps."""
    sizes = {"vocab_size": 16, "d_model": 16, "num_heads": 2, "d_ff": 32, "dropout": 0.1}
    return DecoderOnly(ModelConfig(**(sizes | changes)), generator=seeded(seed))  # type: ignore[arg-type]


def train_long(folder: Path) -> None:
    """A run that writes a checkpoint after each of many steps."""
    torch.set_num_threads(1)
    config = TrainingConfig(steps=150, learning_rate=0.01, warmup_steps=9, save_every=1)
    train(
        small_model(),
        next_token(padding_id=0),
        TokenBatches(SENTENCES, 80),
        config,
        folder=folder,
        progress=False,
    )
