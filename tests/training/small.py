"""The small model and the sentences that these tests train on."""

from pathlib import Path
from typing import Any

import torch

from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import DecoderOnly
from transformer_lesson.training import History, TokenBatches, TrainingConfig, next_token, train

SENTENCES = [
    [1, *((3 + (start + step) % 11) for step in range(4 + start % 6)), 2] for start in range(120)
]


def small_model(seed: int = 0, **changes: object) -> DecoderOnly:
    """A decoder that learns to count within a few steps."""
    sizes = {"vocab_size": 16, "d_model": 16, "num_heads": 2, "d_ff": 32, "dropout": 0.1}
    return DecoderOnly(ModelConfig(**(sizes | changes)), generator=seeded(seed))  # type: ignore[arg-type]


OBJECTIVE = next_token(padding_id=0)
BATCHES = TokenBatches(SENTENCES, 80)


def run(config: TrainingConfig, model: Any = None, batches: Any = BATCHES, **more: Any) -> History:
    """Train a model, or a small one, without a bar."""
    told = {"progress": False, **more}
    return train(model or small_model(), told.pop("objective", OBJECTIVE), batches, config, **told)


def train_long(folder: Path) -> None:
    """A run that writes a checkpoint after each of many steps."""
    torch.set_num_threads(1)
    config = TrainingConfig(steps=150, learning_rate=0.01, warmup_steps=9, save_every=1)
    run(config, folder=folder)
