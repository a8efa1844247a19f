"""A query that is moved."""

from collections.abc import Sequence

import numpy as np
import pytest
import traitlets

from tests.browser.pages import SIX
from transformer_lesson.widgets import QueryExplorer


def query_explorer(tokens: Sequence[str]) -> QueryExplorer:
    keys = np.random.default_rng(0).integers(0, 3, (len(tokens), 2))
    values = np.eye(len(tokens))
    names = {"axes": ["actor", "place"], "features": list(tokens)}
    return QueryExplorer([2.0, 0.0], keys, values, tokens=tokens, **names)


def test_weights_and_output_are_those_of_attention() -> None:
    view = query_explorer(SIX)
    weights, output = view.shown()
    scores = np.array(view.key_rows) @ view.query / np.sqrt(2)
    assert weights == pytest.approx(np.exp(scores) / np.exp(scores).sum())
    assert output == pytest.approx(weights)  # of values that are rows of the identity


def test_numbers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"keys has shape \(3, 3\).*shape \(3, 2\)"):
        QueryExplorer(
            [1, 0], np.eye(3), np.eye(3), tokens=SIX[:3], axes=["x", "y"], features=SIX[:3]
        )
    with pytest.raises(traitlets.TraitError, match="choose two finite numbers"):
        query_explorer(SIX).query = [np.nan, 0.0]
