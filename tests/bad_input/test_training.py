"""What training refuses, and in which words."""

# What is given here has a wrong type more often than not.
# mypy: disable-error-code="arg-type"

from typing import Any

from torch import ones, tensor

from tests.small_models import config, ids
from tests.tables import Refused, refusing
from transformer_lesson.models import DecoderOnly
from transformer_lesson.training.batches import TokenBatches
from transformer_lesson.training.config import TrainingConfig, learning_rate
from transformer_lesson.training.loop import train
from transformer_lesson.training.losses import next_token, summed_cross_entropy, translation


def loss(**given: Any) -> Any:
    return summed_cross_entropy(ones(2, 5), tensor([1, 2]), **given)


def configured(**given: Any) -> TrainingConfig:
    return TrainingConfig(**{"steps": 1, "learning_rate": 0.1, **given})


def trained(batches: Any = lambda number: ids(2, 3), **given: Any) -> Any:
    return train(DecoderOnly(config()), next_token(), batches, configured(), **given)


VALUES: Refused = [
    (
        lambda: configured(schedule="stable"),
        "decay_steps=0 with schedule='stable', …takes 1 or more",
    ),
    (lambda: configured(decay_steps=2), "decay_steps=2 with schedule='constant'"),
    (lambda: configured(steps=2, schedule="stable", decay_steps=3), "decay_steps=3 with …steps=2"),
    (lambda: configured(seed="a"), "seed='a'; expected a whole number"),
    (lambda: configured(learning_rate=0), "learning_rate=0"),
    (lambda: configured(learning_rate="fast"), "learning_rate='fast'"),
    (lambda: configured(steps=0), "steps=0"),
    (lambda: configured(batches_per_step=0), "batches_per_step=0"),
    (lambda: configured(warmup_steps=-1), "warmup_steps=-1"),
    (lambda: configured(evaluate_every=2.5), "evaluate_every=2.5"),
    (lambda: configured(clip_norm=0.0), "clip_norm=0.0"),
    (lambda: configured(schedule="linear"), "schedule='linear'…'cosine'"),
    (lambda: configured(schedule="paper"), "warmup_steps of at least 1"),
    (lambda: configured(schedule="cosine", warmup_steps=1), "warmup_steps=1…steps=1"),
    (lambda: configured(precision="half"), "precision='half'"),
    (lambda: loss(padding_id=-1, label_smoothing=0.1), "padding_id=-1; expected an id from 0 to 4"),
    (lambda: loss(padding_id=7), "padding_id=7; expected an id from 0 to 4"),
    (lambda: loss(label_smoothing="a"), "label_smoothing='a'; expected from 0"),
    (lambda: next_token(label_smoothing=3), "label_smoothing=3; expected from 0"),
    (lambda: translation(label_smoothing=1), "label_smoothing=1; expected from 0"),
    (lambda: TokenBatches([[1, 2]], "4"), "batch_tokens='4'; expected an integer"),
    (
        lambda: TokenBatches([([1], [2]), ([3], [4], [5])], 2),
        "example 1 holds 3 texts and example 0 2",
    ),
    (lambda: learning_rate(0, configured()), "step=0"),
    (lambda: TokenBatches([], 10), "no examples"),
    (lambda: TokenBatches([[1], []], 1), "example 1 is empty"),
    (lambda: TokenBatches([[1, 2], [1] * 9], 8), "example 1 has 9 tokens…batch_tokens=8"),
    (lambda: TokenBatches([([1], [2] * 9)], 8), "example 0 has 9 tokens"),
    (lambda: TokenBatches([[1, 2]] * 3, 64), "all 3 examples fit into 6 tokens…batch_tokens=64"),
    (lambda: loss(label_smoothing=1.5), "label_smoothing=1.5"),
    (lambda: summed_cross_entropy(ones(2, 3), ones(3).long()), "(2, 3)…(3,)"),
]

TYPES: Refused = [
    (lambda: trained([ids(2, 3)]), "batches is a list; expected a"),
    (lambda: TokenBatches([[1.5, 2.0]], 2), "tokens has dtype torch.float32"),
    (
        lambda: TokenBatches([[1, 2]], 2, padding_id=None),
        "padding_id=None; expected the integer id",
    ),
    (lambda: trained(optimizer=0.1), "of type float; expected one of torch.optim"),
]

test_values = refusing(ValueError, VALUES)
test_types = refusing(TypeError, TYPES)
