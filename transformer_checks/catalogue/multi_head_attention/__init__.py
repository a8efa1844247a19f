"""Exercises of lesson 03, in their order."""

from transformer_checks.catalogue.multi_head_attention import (
    attend,
    contributions,
    masks,
    module,
    prune,
    shapes,
)

CHECKS = (
    shapes.SPLIT,
    shapes.MERGE,
    attend.ATTEND,
    module.MODULE,
    masks.PYTORCH_MASK,
    contributions.CONTRIBUTIONS,
    prune.PRUNE,
)
