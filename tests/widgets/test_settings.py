"""Views and figures under a user's own settings of Matplotlib, and with a user's own words."""

from collections.abc import Callable

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from tests.widgets.every_view import every_view
from tests.widgets.small_models import small_translator
from transformer_lesson import widgets
from transformer_lesson.figures import plot_attention
from transformer_lesson.widgets import SentenceExplorer
from transformer_lesson.widgets.attention_maps import token_label
from transformer_lesson.widgets.static_figure import plain_style
from transformer_lesson.widgets.view import View

WORDS = ["$$ …", r"$\frac$", "a$b"]  # what Matplotlib would read as mathematics, and refuse
VIEWS: dict[str, Callable[[], View]] = {
    **every_view(WORDS),
    "sentence": lambda: SentenceExplorer(small_translator(), examples=WORDS),
}
SETTINGS = ({"text.usetex": True}, {"figure.dpi": 300, "font.size": 40}, {"axes.grid": True})


@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_view_is_drawn_alike_under_any_settings(kind: str, settings: dict[str, object]) -> None:
    usual = VIEWS[kind]()._repr_mimebundle_()[0]["text/html"]
    with mpl.rc_context(settings):  # type: ignore[arg-type]
        assert VIEWS[kind]()._repr_mimebundle_()[0]["text/html"] == usual


def test_every_view_is_tried_here() -> None:
    kinds = {name for name in widgets.__all__ if hasattr(getattr(widgets, name), "kind")}
    assert {type(view()).__name__ for view in VIEWS.values()} == kinds


def taken_as_mathematics(figure: Figure) -> list[str]:
    figure.canvas.draw()
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text)]
    return [t.get_text() for t in texts if t.get_text() and (t.get_parse_math() or t.get_usetex())]


@pytest.mark.parametrize("kind", VIEWS)
def test_no_word_in_a_view_is_read_as_mathematics(kind: str) -> None:
    with plain_style():
        assert taken_as_mathematics(VIEWS[kind]()._static_figure()) == []


def test_no_word_of_a_users_in_a_figure_is_read_as_mathematics() -> None:
    with mpl.rc_context({"text.usetex": True}):
        _, given = plt.subplots()
    labels = list(map(token_label, WORDS))
    for axes in (None, given):
        drawn = plot_attention(np.eye(3), WORDS, title="$$ costs", ax=axes)
        words = [drawn.title, *drawn.get_xticklabels(), *drawn.get_yticklabels()]
        assert [text.get_text() for text in words] == ["$$ costs", *labels, *labels]
        assert not any(text.get_parse_math() or text.get_usetex() for text in words)
    plt.close("all")
