"""Interactive views, in JupyterLab and in pages that need no kernel."""

from transformer_lesson.widgets.explorer import AttentionExplorer
from transformer_lesson.widgets.generation import GenerationExplorer, GenerationStep
from transformer_lesson.widgets.heads import HeadsExplorer
from transformer_lesson.widgets.mask import MaskExplorer
from transformer_lesson.widgets.position import PositionExplorer
from transformer_lesson.widgets.tiles import TileExplorer

__all__ = [
    "AttentionExplorer",
    "GenerationExplorer",
    "GenerationStep",
    "HeadsExplorer",
    "MaskExplorer",
    "PositionExplorer",
    "TileExplorer",
]
