"""Exercises of lesson 05, in their order."""

from transformer_checks.catalogue.encoder import (
    counting,
    feed_forward,
    layer,
    layer_norm,
    padding,
    rms_norm,
    stack,
)

CHECKS = (
    layer_norm.LAYER_NORM,
    rms_norm.RMS_NORM,
    feed_forward.FEED_FORWARD,
    layer.LAYER,
    stack.STACK,
    counting.PARAMETERS,
    padding.SENTENCE_VECTOR,
)
