"""Exercises of lesson 02, in their order."""

from transformer_checks.catalogue.self_attention import (
    attend,
    causal_mask,
    masked,
    padding_mask,
    repaired_heads,
    scores,
    self_attention,
    softmax,
    which_bug,
)

CHECKS = tuple(
    module.CHECK
    for module in (
        softmax,
        scores,
        attend,
        self_attention,
        causal_mask,
        padding_mask,
        masked,
        repaired_heads,
        which_bug,
    )
)
