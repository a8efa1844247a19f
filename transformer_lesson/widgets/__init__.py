"""Interactive views, in JupyterLab and in pages that need no kernel."""

from transformer_lesson.widgets.attention import AttentionExplorer
from transformer_lesson.widgets.beam import BeamExplorer
from transformer_lesson.widgets.beam_tree import BeamNode, BeamTree, record_beam_search
from transformer_lesson.widgets.gap import GapExplorer, Sentence
from transformer_lesson.widgets.generation import GenerationExplorer, GenerationStep
from transformer_lesson.widgets.heads import HeadsExplorer
from transformer_lesson.widgets.mask import MaskExplorer
from transformer_lesson.widgets.position import PositionExplorer
from transformer_lesson.widgets.schedule import ScheduleExplorer
from transformer_lesson.widgets.tiles import TileExplorer
from transformer_lesson.widgets.training import TrainingExplorer

__all__ = [
    "AttentionExplorer",
    "BeamExplorer",
    "BeamNode",
    "BeamTree",
    "GapExplorer",
    "GenerationExplorer",
    "GenerationStep",
    "HeadsExplorer",
    "MaskExplorer",
    "PositionExplorer",
    "ScheduleExplorer",
    "Sentence",
    "TileExplorer",
    "TrainingExplorer",
    "record_beam_search",
]
