"""The door to ``transformer_checks``, for notebooks: an answer is checked by one line."""

from transformer_checks.notebook import check, hint, progress

__all__ = ["check", "hint", "progress"]
