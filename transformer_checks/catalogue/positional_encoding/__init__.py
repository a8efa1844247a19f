"""Exercises of lesson 04, in their order."""

from transformer_checks.catalogue.positional_encoding import (
    add,
    alibi,
    reach,
    relative_bias,
    rotary,
    rotation,
    sinusoidal,
)

CHECKS = tuple(
    module.CHECK for module in (sinusoidal, rotation, add, relative_bias, rotary, alibi, reach)
)
