"""Exercises of lesson 01, in their order."""

from transformer_checks.catalogue.tokens import (
    batches,
    encoding,
    gradients,
    merging,
    neighbours,
    pairs,
    tied,
)

CHECKS = (
    pairs.MOST_FREQUENT_PAIR,
    merging.MERGE,
    encoding.ENCODE,
    batches.PAD,
    gradients.EMBEDDING_GRADIENT,
    neighbours.NEAREST,
    tied.TIED_MODEL,
)
