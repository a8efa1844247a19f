"""The warm-up schedule in other styles."""

import math
from functools import partial

import numpy as np
import torch
from torch import Tensor


def two_halves(step: int, warmup_steps: int, d_model: int) -> float:
    highest = (d_model * warmup_steps) ** -0.5
    if step <= warmup_steps:
        return highest * step / warmup_steps
    return highest * (warmup_steps / step) ** 0.5


def by_logarithms(step: int, warmup_steps: int, d_model: int) -> float:
    lower = min(-0.5 * math.log(step), math.log(step) - 1.5 * math.log(warmup_steps))
    return math.exp(lower - 0.5 * math.log(d_model))


def by_torch(step: int, warmup_steps: int, d_model: int) -> Tensor:
    halves = torch.tensor([step**-0.5, step * warmup_steps**-1.5], dtype=torch.float64)
    return halves.amin() / math.sqrt(d_model)


def by_numpy(step: int, warmup_steps: int, d_model: int) -> np.floating:
    steps = np.arange(1, step + 1, dtype=np.float64)
    rates = np.minimum(1 / np.sqrt(steps), steps / warmup_steps**1.5)
    return rates[-1] / np.sqrt(d_model)


def scaled(
    step: int, warmup_steps: int, d_model: int, *, factor: float = 1.0, power: float = -0.5
) -> float:
    rise = step * math.pow(warmup_steps, power - 1)
    return factor * math.pow(d_model, power) * sorted((math.pow(step, power), rise))[0]


STYLES = {
    "training.schedule": (
        two_halves,
        by_logarithms,
        by_torch,
        by_numpy,
        partial(scaled, factor=1.0),
    ),
}
