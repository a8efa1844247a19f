"""A view of each kind that shows some words."""

from collections.abc import Callable

from tests.browser.pages import random_weights
from tests.widgets.test_merge import TOKENIZER
from tests.widgets.test_query import query_explorer
from transformer_lesson.widgets import (
    AttentionExplorer,
    GapExplorer,
    GenerationExplorer,
    GenerationStep,
    HeadsExplorer,
    Machine,
    MaskExplorer,
    MergeExplorer,
    PositionExplorer,
    ScheduleExplorer,
    Sentence,
    TileExplorer,
    TrainingExplorer,
)
from transformer_lesson.widgets.view import View


def every_view(words: list[str]) -> dict[str, Callable[[], View]]:
    """What makes each, by its name; there are three words or more."""
    weights = random_weights(4, len(words), len(words))
    guesses = [[(words[0], 0.5), (word, 0.25)] for word in words]
    steps = [
        GenerationStep(words[:2], [(words[2], 0.7), ("by", 0.2)], computed=2, cached=0),
        GenerationStep(words[:3], [(words[0], 0.9)], computed=1, cached=2),
    ]
    return {
        "attention": lambda: AttentionExplorer(weights, words),
        "gap": lambda: GapExplorer([Sentence(words, {"masked": guesses, "causal": guesses})]),
        "generation": lambda: GenerationExplorer(steps),
        "heads": lambda: HeadsExplorer(weights, words),
        "machine": lambda: Machine("05"),
        "mask": lambda: MaskExplorer(weights[0], words, num_padding=1),
        "merge": lambda: MergeExplorer(TOKENIZER, " ".join(words)),
        "position": lambda: PositionExplorer(),
        "query": lambda: query_explorer(words),
        "schedule": lambda: ScheduleExplorer(),
        "tiles": lambda: TileExplorer(weights[0]),
        "training": lambda: TrainingExplorer([3.0, 2, 1], [(0, weights), (3, weights)], words),
    }
