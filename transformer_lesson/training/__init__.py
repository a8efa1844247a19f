"""One training loop for all lessons, and what it needs: batches, losses, schedule, checkpoints."""

from transformer_lesson.training.batches import TokenBatches
from transformer_lesson.training.checkpoints import CheckpointError
from transformer_lesson.training.config import TrainingConfig, learning_rate
from transformer_lesson.training.diverged import Diverged
from transformer_lesson.training.history import History
from transformer_lesson.training.loop import train
from transformer_lesson.training.losses import next_token, summed_cross_entropy, translation

__all__ = [
    "CheckpointError",
    "Diverged",
    "History",
    "TokenBatches",
    "TrainingConfig",
    "learning_rate",
    "next_token",
    "summed_cross_entropy",
    "train",
    "translation",
]
