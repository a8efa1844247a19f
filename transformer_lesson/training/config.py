"""How a model is trained, and how large each step is."""

import math
from dataclasses import dataclass
from typing import Literal

from transformer_lesson.validation import arguments

Schedule = Literal["constant", "paper", "cosine", "stable"]
AskedPrecision = Literal["float32", "bfloat16", "fastest"]


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """What a run of ``train`` does; equal configurations give equal runs.

    Attributes:
        steps: number of updates of the weights.
        learning_rate: the highest of the run. The paper's is ``(d_model * warmup_steps) ** -0.5``.
        warmup_steps: number of steps in which it rises from 0 in a straight line.
        schedule: what it does then: stay, fall as 1/√step ("paper": Vaswani et al. 2017,
            equation 3), follow half a cosine to 0 ("cosine": Loshchilov & Hutter 2017), or stay
            until the last ``decay_steps`` ("stable": warm-up, stable, decay, Hu et al. 2024).
        decay_steps: number of steps at the end in which "stable" falls to 0 in a straight line.
        batches_per_step: number of batches whose gradients are added before an update, in all
            processes together.
        clip_norm: largest norm of the gradient of all weights; a longer one is scaled down to it.
            None leaves gradients as they are.
        precision: of the products in the forward and backward pass; weights and their gradients
            are float32. "fastest" measures a pass in each and keeps the faster for the whole run.
        evaluate_every: number of steps between evaluations; 0: at the beginning and the end.
        save_every: number of steps between checkpoints; 0: at the end.
        seed: decides dropout. The weights begin, and the batches come, as the caller made them.

    Raises:
        ValueError: a value is out of range, or two do not fit together.
    """

    steps: int
    learning_rate: float
    warmup_steps: int = 0
    schedule: Schedule = "constant"
    decay_steps: int = 0
    batches_per_step: int = 1
    clip_norm: float | None = 1.0
    precision: AskedPrecision = "float32"
    evaluate_every: int = 0
    save_every: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        arguments.check_sizes(steps=self.steps, batches_per_step=self.batches_per_step)
        arguments.check_choice("schedule", self.schedule, Schedule)
        arguments.check_choice("precision", self.precision, AskedPrecision)
        for name in ("warmup_steps", "decay_steps", "evaluate_every", "save_every"):
            value = getattr(self, name)
            if not arguments.is_whole(value) or value < 0:
                raise ValueError(f"{name}={value!r}; expected a whole number, 0 or more.")
        if not arguments.is_whole(self.seed):
            raise ValueError(f"seed={self.seed!r}; expected a whole number.")
        arguments.check_positive(learning_rate=self.learning_rate)
        if self.clip_norm is not None:
            arguments.check_positive(clip_norm=self.clip_norm)
        if self.schedule == "paper" and self.warmup_steps == 0:
            raise ValueError(
                "schedule='paper' falls as the root of warmup_steps / step, so it needs "
                "warmup_steps of at least 1; got 0."
            )
        if self.schedule == "cosine" and self.warmup_steps >= self.steps:
            raise ValueError(
                f"warmup_steps={self.warmup_steps} leaves none of the steps={self.steps} for the "
                "cosine. Warm up for fewer steps."
            )
        stable, left = self.schedule == "stable", self.steps - self.warmup_steps
        if not int(stable) <= self.decay_steps <= stable * left:
            raise ValueError(
                f"decay_steps={self.decay_steps} with schedule={self.schedule!r}, warmup_steps="
                f"{self.warmup_steps} and steps={self.steps}; 'stable' takes 1 or more of the "
                "steps after the warm-up, the others none."
            )


def learning_rate(step: int, config: TrainingConfig) -> float:
    """Return the learning rate of ``step``, which counts from 1.

    Raises:
        ValueError: the step is below 1.
    """
    if step < 1:
        raise ValueError(f"step={step}; steps count from 1.")
    highest, warmup = config.learning_rate, config.warmup_steps
    if step <= warmup:
        return highest * step / warmup
    if config.schedule == "paper":
        return highest * math.sqrt(warmup / step)
    # A fall is one step longer than the run, or the last step would teach nothing.
    if config.schedule == "stable":
        return highest * min((config.steps + 1 - step) / (config.decay_steps + 1), 1.0)
    if config.schedule == "cosine":
        passed = min((step - warmup) / (config.steps + 1 - warmup), 1.0)
        return highest * (1 + math.cos(math.pi * passed)) / 2
    return highest
