"""The view of masked scores, without a browser."""

import numpy as np
import pytest
import torch

from transformer_lesson.widgets import MaskExplorer

FOUR = ["The", "cat", "sat", "<pad>"]


def scores(queries: int = 4, keys: int = 4) -> torch.Tensor:
    return torch.randn(queries, keys, generator=torch.Generator().manual_seed(0)).mul(3)


def softmax(values: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return values.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num(0.0)


@pytest.mark.parametrize("queries", [1, 2, 4])
def test_the_weights_are_the_masked_softmax(queries: int) -> None:
    given = scores(queries)
    explorer = MaskExplorer(given, FOUR, num_padding=1)
    mask = torch.ones(queries, 4, dtype=torch.bool)
    assert np.allclose(explorer.weights(), softmax(given, mask), atol=1e-6)
    explorer.causal = True
    mask = mask.tril(diagonal=4 - queries)  # The causal mask is aligned to the last key.
    assert np.allclose(explorer.weights(), softmax(given, mask), atol=1e-6)
    explorer.padding = True
    mask[:, -1] = False
    assert np.allclose(explorer.weights(), softmax(given, mask), atol=1e-6)


def test_a_row_without_any_key_is_zero() -> None:
    explorer = MaskExplorer(scores(), FOUR, num_padding=4)
    explorer.padding = True
    assert (explorer.weights() == 0).all()
    text = explorer._repr_mimebundle_()[0]["text/plain"]
    assert "mask: padding, 16 scores blocked" in text
    assert "The (0) → nothing" in text


def test_the_browser_gets_the_scores_as_they_are() -> None:
    given = scores()
    sent = np.frombuffer(MaskExplorer(given, FOUR).data, dtype="<f4").reshape(4, 4)
    assert np.array_equal(sent, given.numpy())
