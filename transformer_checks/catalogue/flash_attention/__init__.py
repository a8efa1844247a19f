"""Exercises of lesson 09, in their order."""

from transformer_checks.catalogue.flash_attention import (
    attention_tile,
    kernel,
    key_gradients,
    log_sum_exp,
    merge,
    online_step,
    row_term,
    safe_softmax,
    tiled_forward,
    traffic,
    visible_tiles,
)

CHECKS = tuple(
    module.CHECK
    for module in (
        safe_softmax,
        log_sum_exp,
        online_step,
        merge,
        visible_tiles,
        tiled_forward,
        traffic,
        row_term,
        key_gradients,
        kernel,
        attention_tile,
    )
)
