"""The view of masked scores, without a browser."""

import re

import numpy as np
import pytest
import torch
from traitlets import TraitError

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


INFINITE = scores().fill_diagonal_(-torch.inf)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ((None, FOUR), "scores is None; pass query @ key.T"),
        ((scores()[None], FOUR), "scores has shape (1, 4, 4); expected (queries, keys)"),
        ((scores(4, 3), FOUR[:3]), "4 queries and 3 keys; this view shows 1 to 32 keys and no"),
        ((scores(33, 33), ["x"] * 33), "Pass a part, such as scores[:32, :32]"),
        ((INFINITE, FOUR), "query 0 and key 0 is -inf; scores are finite numbers. Pass the scores"),
        ((scores(), FOUR[:3]), "tokens has 3 tokens and scores has 4 keys"),
        ((scores(), FOUR, 5), "num_padding=5 is out of range; pass a whole number from 0 to 4"),
    ],
)
def test_bad_input_is_refused(arguments: tuple, rule: str) -> None:
    with pytest.raises(ValueError, match=re.escape(rule)):
        MaskExplorer(*arguments)


def test_tokens_are_a_list() -> None:
    with pytest.raises(TypeError, match="tokens is the string"):
        MaskExplorer(scores(), "The cat sat")


def test_only_a_query_can_be_pinned() -> None:
    explorer = MaskExplorer(scores(2), FOUR)
    with pytest.raises(TraitError, match="pinned=2 is out of range; choose 0 to 1"):
        explorer.pinned = 2
