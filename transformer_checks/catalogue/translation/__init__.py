"""Exercises of lesson 10, in their order."""

from transformer_checks.catalogue.translation import (
    alignment,
    batches,
    beam,
    beat,
    bleu,
    greedy,
    loss,
    paired,
    pairs,
)

CHECKS = tuple(
    module.CHECK for module in (batches, pairs, loss, greedy, beam, bleu, alignment, paired, beat)
)
