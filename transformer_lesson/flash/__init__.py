"""Flash attention, from a safe softmax to Triton kernels (lesson 09)."""

from transformer_lesson.flash.api import flash_attention

__all__ = ["flash_attention"]
