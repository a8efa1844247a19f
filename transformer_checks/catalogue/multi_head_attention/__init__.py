"""Exercises of lesson 03, in their order."""

from transformer_checks.catalogue.multi_head_attention import (
    attend,
    contributions,
    grouped,
    merge,
    module,
    prune,
    pytorch_mask,
    split,
)

CHECKS = tuple(
    exercise.CHECK
    for exercise in (split, merge, attend, module, pytorch_mask, contributions, prune, grouped)
)
