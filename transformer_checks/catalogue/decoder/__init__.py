"""Exercises of lesson 06, in their order."""

from transformer_checks.catalogue.decoder import (
    beam_search,
    cached_step,
    cross_attention,
    greedy,
    layer,
    mask,
    nucleus,
    repaired_generation,
    speculative,
)

CHECKS = tuple(
    module.CHECK
    for module in (
        mask,
        cross_attention,
        layer,
        greedy,
        cached_step,
        beam_search,
        repaired_generation,
        nucleus,
        speculative,
    )
)
