"""Views and figures under a user's own settings of Matplotlib, and with a user's own words."""

from collections.abc import Callable

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from transformer_lesson.figures import plot_attention
from transformer_lesson.widgets import (
    AttentionExplorer,
    GapExplorer,
    GenerationExplorer,
    GenerationStep,
    HeadsExplorer,
    Machine,
    MaskExplorer,
    PositionExplorer,
    Sentence,
    TrainingExplorer,
)
from transformer_lesson.widgets.view import View

WORDS = ["$$ …", r"$\frac$", "a$b"]  # what Matplotlib would read as mathematics, and refuse
GUESSES = [[(word, 0.5)] for word in WORDS]
ONE = np.eye(3)
VIEWS: dict[str, Callable[[], View]] = {
    "attention": lambda: AttentionExplorer(ONE, WORDS),
    "gap": lambda: GapExplorer([Sentence(WORDS, {"masked": GUESSES, "causal": GUESSES})]),
    "generation": lambda: GenerationExplorer([GenerationStep(WORDS, [(WORDS[0], 0.5)], 3, 0)]),
    "heads": lambda: HeadsExplorer(ONE[None], WORDS),
    "machine": lambda: Machine("05"),
    "mask": lambda: MaskExplorer(ONE, WORDS),
    "position": lambda: PositionExplorer(3, 4),
    "training": lambda: TrainingExplorer([1.0], [(0, ONE)], WORDS),
}
SETTINGS = ({"text.usetex": True}, {"figure.dpi": 300, "font.size": 40}, {"axes.grid": True})


@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_view_is_drawn_alike_under_any_settings(kind: str, settings: dict[str, object]) -> None:
    usual = VIEWS[kind]()._repr_mimebundle_()[0]["text/html"]
    with mpl.rc_context(settings):  # type: ignore[arg-type]
        assert VIEWS[kind]()._repr_mimebundle_()[0]["text/html"] == usual


def test_no_word_of_a_users_is_read_as_mathematics() -> None:
    for view in VIEWS.values():
        assert view()._repr_mimebundle_()[0]["text/html"]
    axes = plot_attention(ONE, WORDS, title="$$ costs")
    axes.figure.canvas.draw()
    plt.close("all")
