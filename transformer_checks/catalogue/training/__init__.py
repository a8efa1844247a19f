"""Exercises of lesson 07, in their order."""

from transformer_checks.catalogue.training import (
    accumulate,
    adam,
    clip,
    cross_entropy,
    label_smoothing,
    repaired,
    schedule,
    shift,
)

CHECKS = (
    shift.SHIFT,
    cross_entropy.CROSS_ENTROPY,
    label_smoothing.LABEL_SMOOTHING,
    schedule.SCHEDULE,
    adam.ADAM,
    accumulate.ACCUMULATE,
    clip.CLIP,
    repaired.REPAIRED,
)
