"""Exercises of lesson 06, in their order."""

from transformer_checks.catalogue.decoder import (
    beam,
    cached_step,
    cross_attention,
    greedy,
    layer,
    mask,
    nucleus,
    repaired,
)

CHECKS = (
    mask.MASK,
    cross_attention.CROSS_ATTENTION,
    layer.LAYER,
    greedy.GREEDY,
    cached_step.CACHED_STEP,
    beam.BEAM_SEARCH,
    repaired.REPAIRED_GENERATION,
    nucleus.NUCLEUS,
)
