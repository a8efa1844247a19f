"""Exercises of lesson 01, in their order."""

from transformer_checks.catalogue.tokens_and_embeddings import (
    embedding_gradient,
    encode,
    merge,
    most_frequent_pair,
    nearest,
    pad,
    separating,
    tied_model,
)

CHECKS = tuple(
    module.CHECK
    for module in (
        most_frequent_pair,
        merge,
        encode,
        pad,
        embedding_gradient,
        nearest,
        tied_model,
        separating,
    )
)
