import math
from functools import partial

import numpy as np


def by_logarithms(step, warmup_steps, d_model):
    lower = min(-0.5 * math.log(step), math.log(step) - 1.5 * math.log(warmup_steps))
    return math.exp(lower - 0.5 * math.log(d_model))


def by_numpy(step, warmup_steps, d_model):
    steps = np.arange(1, step + 1, dtype=np.float64)
    rates = np.minimum(1 / np.sqrt(steps), steps / warmup_steps**1.5)
    return rates[-1] / np.sqrt(d_model)


def scaled(step, warmup_steps, d_model, *, factor=1.0, power=-0.5):
    rise = step * math.pow(warmup_steps, power - 1)
    return factor * math.pow(d_model, power) * sorted((math.pow(step, power), rise))[0]


STYLES = {"training.schedule": (by_logarithms, by_numpy, partial(scaled, factor=1.0))}
