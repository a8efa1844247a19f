"""Exercises of lesson 02, in their order."""

from transformer_checks.catalogue.self_attention import (
    attend,
    layers,
    masked,
    masks,
    scores,
    softmax,
)

CHECKS = (
    softmax.SOFTMAX,
    scores.CHECK,
    attend.ATTEND,
    layers.SELF_ATTENTION,
    masks.CAUSAL_MASK,
    masks.PADDING_MASK,
    masked.MASKED_ATTENTION,
    layers.REPAIRED_HEADS,
)
