"""Exercises of lesson 09, in their order."""

from transformer_checks.catalogue.flash_attention import (
    backward,
    forward,
    kernel,
    log_sum_exp,
    merge,
    softmax,
    step,
    tiles,
)

CHECKS = (
    softmax.SAFE_SOFTMAX,
    log_sum_exp.LOG_SUM_EXP,
    step.ONLINE_STEP,
    merge.MERGE,
    tiles.VISIBLE_TILES,
    forward.TILED_FORWARD,
    backward.ROW_TERM,
    backward.KEY_GRADIENTS,
    kernel.KERNEL,
)
