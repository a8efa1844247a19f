"""Exercises of lesson 04, in their order."""

from transformer_checks.catalogue.positions import (
    add,
    alibi,
    relative,
    rotary,
    rotation,
    sinusoidal,
)

CHECKS = (
    sinusoidal.SINUSOIDAL,
    rotation.ROTATION,
    add.ADD,
    relative.RELATIVE_BIAS,
    rotary.ROTARY,
    alibi.ALIBI,
)
