"""Interactive views, in JupyterLab and in pages that need no kernel."""

from transformer_lesson.widgets.explorer import AttentionExplorer

__all__ = ["AttentionExplorer"]
