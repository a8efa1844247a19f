"""What a right answer is, and what a wrong one means.

A learner needs three names: ``check``, ``hint`` and ``progress``.
"""

from transformer_lesson.checks.notebook import check, hint, progress

__all__ = ["check", "hint", "progress"]
