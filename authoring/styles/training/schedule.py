"""The warm-up schedule in other styles."""

import math
from functools import partial

import numpy as np


def by_logarithms(step: int, warmup_steps: int, d_model: int) -> float:
    lower = min(-0.5 * math.log(step), math.log(step) - 1.5 * math.log(warmup_steps))
    return math.exp(lower - 0.5 * math.log(d_model))


def by_numpy(step: int, warmup_steps: int, d_model: int) -> np.floating:
    steps = np.arange(1, step + 1, dtype=np.float64)
    rates = np.minimum(1 / np.sqrt(steps), steps / warmup_steps**1.5)
    return rates[-1] / np.sqrt(d_model)


def scaled(
    step: int, warmup_steps: int, d_model: int, *, factor: float = 1.0, power: float = -0.5
) -> float:
    rise = step * math.pow(warmup_steps, power - 1)
    return factor * math.pow(d_model, power) * sorted((math.pow(step, power), rise))[0]


STYLES = {"training.schedule": (by_logarithms, by_numpy, partial(scaled, factor=1.0))}
