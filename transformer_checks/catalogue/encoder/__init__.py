"""Exercises of lesson 05, in their order."""

from transformer_checks.catalogue.encoder import (
    feed_forward,
    layer,
    layer_norm,
    parameters,
    rms_norm,
    sentence_vector,
    stack,
    which_stack,
)

CHECKS = tuple(
    module.CHECK
    for module in (
        layer_norm,
        rms_norm,
        feed_forward,
        layer,
        stack,
        parameters,
        sentence_vector,
        which_stack,
    )
)
