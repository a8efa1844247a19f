"""What views refuse to show, and what cannot be chosen in them."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from tests.tables import refused, refuses
from tests.widgets import test_gap, test_generation, test_training, tile_walks
from tests.widgets.test_gap import CATS
from tests.widgets.test_generation import FIRST
from tests.widgets.test_training import SIX, snapshots, weights
from transformer_lesson import widgets
from transformer_lesson.widgets import attention_maps

WORDS, FOUR, EYE = SIX[:3], SIX[:4], torch.eye(3)
ones = torch.ones
NAN, INF = float("nan"), float("inf")
MAPS = widgets.AttentionExplorer(weights(2, 4, 6, 6), SIX)
HEADS = widgets.HeadsExplorer(weights(2, 4, 6, 6), SIX)
SCHEDULE = widgets.ScheduleExplorer(200, 0.01, 50)


def with_weight(weight: float) -> torch.Tensor:
    maps = torch.tensor([[0.25, 0.5, 0.25]]).repeat(2, 4, 3, 1)
    maps[1, 2, 0, 1] = weight
    return maps


def generation(**values: Any) -> Any:
    return widgets.GenerationExplorer([replace(FIRST, **values)])


def gaps(**values: Any) -> Any:
    return widgets.GapExplorer([replace(CATS, **values)])


def guesses(**of_model: Any) -> Any:
    return gaps(guesses={**CATS.guesses, **of_model})


def training(history: Any, given: Any = None) -> Any:
    return widgets.TrainingExplorer(history, snapshots() if given is None else given, SIX)


def tiles(**values: Any) -> Any:
    return widgets.TileExplorer(torch.ones(4, 4), **values)


def chosen(view: Any, **values: Any) -> None:
    [(name, value)] = values.items()
    before = getattr(view, name)
    try:
        setattr(view, name, value)
    finally:
        assert getattr(view, name) == before


PARTS = (widgets, attention_maps, tile_walks, test_gap, test_generation, test_training)
KNOWN = {name: it for part in PARTS for name, it in vars(part).items()} | globals()


@pytest.mark.parametrize(("kind", "written", "words"), refused("widgets/bad_input.txt"))
def test_the_error_is_of_its_type_and_names_value_and_rule(
    kind: str, written: str, words: str
) -> None:
    refuses(kind, lambda: eval(written, KNOWN), words)
