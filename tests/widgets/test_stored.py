"""What a view stores in a notebook has a limit, and a view beyond it says so."""

import numpy as np
import pytest

from transformer_lesson.widgets import AttentionExplorer, static_page

from .test_settings import VIEWS


@pytest.mark.parametrize("kind", VIEWS)
def test_beyond_the_limit_the_picture_is_stored_with_a_sentence(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = VIEWS[kind]()
    whole = view._repr_mimebundle_()[0]["text/html"]
    assert "<script" in whole
    monkeypatch.setattr(static_page, "MOST", len(whole))
    assert view._repr_mimebundle_()[0]["text/html"] == whole
    monkeypatch.setattr(static_page, "MOST", len(whole) - 1)
    still = view._repr_mimebundle_()[0]["text/html"]
    assert "<script" not in still
    assert still.count("<img") == still.count("would put") == 1


def test_a_large_model_is_beyond_it() -> None:
    """Its live view has all of it."""
    weights = np.full((12, 12, 256, 256), 1 / 256, np.float32)
    view = AttentionExplorer(weights, [str(i) for i in range(256)])
    assert len(view.data) == 2 * weights.size
    page = view._repr_mimebundle_()[0]["text/html"]
    assert len(page) < static_page.MOST
    assert "This view would put 25 MB into the notebook, which stores at most 4" in page
