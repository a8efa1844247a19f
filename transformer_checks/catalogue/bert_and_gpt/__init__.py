"""Exercises of lesson 08, in their order."""

from transformer_checks.catalogue.bert_and_gpt import classify, corrupt, loss, mask, pair, which_run

CHECKS = tuple(module.CHECK for module in (mask, corrupt, loss, pair, classify, which_run))
