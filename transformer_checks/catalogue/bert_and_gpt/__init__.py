"""Exercises of lesson 08, in their order."""

from transformer_checks.catalogue.bert_and_gpt import classify, corrupt, loss, mask, pair

CHECKS = tuple(module.CHECK for module in (mask, corrupt, loss, pair, classify))
