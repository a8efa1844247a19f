"""Interactive views, live in JupyterLab and in exported pages that have no kernel.

A view is a Python class with an ES module and, where it needs one, a style sheet of the same name
beside it. To add a view, subclass ``View`` in ``view.py``, write these files and export the class
here. To change a color, edit ``transformer_lesson/palette.toml``. For readers without scripts, the
text alternative of a view is its ``_alt_text`` and the picture its ``_static_figure``;
``static_page.py`` puts both into the page.
"""

from transformer_lesson.widgets.attention import AttentionExplorer
from transformer_lesson.widgets.gap import GapExplorer, Sentence
from transformer_lesson.widgets.generation import GenerationExplorer, GenerationStep
from transformer_lesson.widgets.heads import HeadsExplorer
from transformer_lesson.widgets.machine import Machine
from transformer_lesson.widgets.mask import MaskExplorer
from transformer_lesson.widgets.merge import MergeExplorer
from transformer_lesson.widgets.position import PositionExplorer
from transformer_lesson.widgets.query import QueryExplorer
from transformer_lesson.widgets.schedule import ScheduleExplorer
from transformer_lesson.widgets.sentence import SentenceExplorer
from transformer_lesson.widgets.tiles import TileExplorer
from transformer_lesson.widgets.training import TrainingExplorer

__all__ = [
    "AttentionExplorer",
    "GapExplorer",
    "GenerationExplorer",
    "GenerationStep",
    "HeadsExplorer",
    "Machine",
    "MaskExplorer",
    "MergeExplorer",
    "PositionExplorer",
    "QueryExplorer",
    "ScheduleExplorer",
    "Sentence",
    "SentenceExplorer",
    "TileExplorer",
    "TrainingExplorer",
]
