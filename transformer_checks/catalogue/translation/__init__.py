"""Exercises of lesson 10, in their order."""

from transformer_checks.catalogue.translation import (
    alignment,
    batches,
    beam,
    beat,
    bleu,
    greedy,
    loss,
    pairs,
)

CHECKS = (
    batches.BATCHES,
    pairs.PAIRS,
    loss.LOSS,
    greedy.GREEDY,
    beam.BEAM,
    bleu.BLEU,
    alignment.ALIGNMENT,
    beat.BEAT,
)
