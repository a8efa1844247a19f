"""Exercises of lesson 08, in their order."""

from transformer_checks.catalogue.bert_and_gpt import (
    classify,
    corrupt,
    loss,
    masks,
    pairs,
)

CHECKS = (
    masks.MASK,
    corrupt.CORRUPT,
    loss.LOSS,
    pairs.PAIR,
    classify.CLASSIFY,
)
