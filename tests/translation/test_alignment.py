import pytest
import torch

from transformer_lesson import seeded
from transformer_lesson.config import ModelConfig
from transformer_lesson.models import EncoderDecoder
from transformer_lesson.translation.alignment import (
    alignment_error_rate,
    cross_attention,
    links,
    word_weights,
)


def test_cross_attention_has_a_row_for_each_predicted_token() -> None:
    config = ModelConfig(20, d_model=8, num_heads=2, num_layers=3, d_ff=16)
    model = EncoderDecoder(config, generator=seeded(0))
    source, target = torch.tensor([5, 6, 7, 2]), torch.tensor([1, 8, 9, 2])
    weights = cross_attention(model, source, target)
    assert weights.shape == (3, 2, 3, 4)
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 2, 3))
    # The last token of the target is predicted, never read.
    other = torch.tensor([1, 8, 9, 11])
    assert cross_attention(model, source, other).equal(weights)


def test_words_gather_what_their_pieces_look_at() -> None:
    pieces = torch.tensor(
        [[0.1, 0.2, 0.6, 0.1], [0.3, 0.4, 0.2, 0.1], [0.0, 0.1, 0.8, 0.1], [0.25, 0.25, 0.25, 0.25]]
    )
    # Target: two pieces, one piece, end. Source: two pieces, one piece, end.
    words = word_weights(pieces, [0, 0, 1], [0, 0, 1])
    torch.testing.assert_close(words, torch.tensor([[0.5, 0.4], [0.1, 0.8]]))
    assert links(words) == {(0, 0), (1, 1)}


def test_the_error_rate_by_hand() -> None:
    gold = [{(0, 0), (1, 2), (2, 1)}]
    assert alignment_error_rate(gold, gold) == 0
    assert alignment_error_rate([{(0, 1)}], gold) == 1
    # Two of three found links are right, and two of three gold ones found: 1 - 4 / 6.
    assert alignment_error_rate([{(0, 0), (1, 2), (2, 2)}], gold) == pytest.approx(1 / 3)
    # In a corpus it is links that count, not sentences.
    both = alignment_error_rate([{(0, 0)}, set()], [{(0, 0)}, {(0, 0), (1, 1), (2, 2)}])
    assert both == pytest.approx(1 - 2 / 5)


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(ValueError, match="1 sentences were aligned, 2"):
        alignment_error_rate([{(0, 0)}], [{(0, 0)}, {(0, 0)}])
    with pytest.raises(ValueError, match="no link"):
        alignment_error_rate([set()], [set()])
