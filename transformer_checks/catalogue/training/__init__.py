"""Exercises of lesson 07, in their order."""

from transformer_checks.catalogue.training import (
    accumulate,
    adam,
    clip,
    cross_entropy,
    floors,
    label_smoothing,
    loop,
    repaired,
    schedule,
    shift,
)

CHECKS = tuple(
    module.CHECK
    for module in (
        shift,
        cross_entropy,
        label_smoothing,
        schedule,
        adam,
        accumulate,
        clip,
        repaired,
        loop,
        floors,
    )
)
