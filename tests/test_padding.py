"""What stands in padding changes nothing, on either side of a text."""

from typing import Any, get_args

import pytest
import torch
from torch import Tensor

from tests.fixtures import Patch
from tests.small_models import VOCAB, config, every_norm, every_position, gradients, ids
from transformer_lesson import seeded
from transformer_lesson.attention import Attention
from transformer_lesson.models import DecoderOnly, EncoderDecoder, EncoderOnly


@every_position
@every_norm
def test_what_stands_in_padding_moves_nothing(norm: str, positions: str) -> None:
    """A padding row of the embedding is changed; real tokens keep all their numbers."""
    tied = {"norm": norm, "positions": positions, "tie_embeddings": False}
    model = EncoderDecoder(config(**tied), generator=seeded(0))
    source, target = ids(2, 6), ids(2, 5, seed=1)
    source[0, 4:] = source[1, 1] = 0
    target[0, 3:] = target[1, :2] = 0
    real = target != 0
    before, memory = model(source, target)[real], model.encode(source)[source != 0]
    with torch.no_grad():
        model.embedding.weight[0] += torch.randn(12, generator=seeded(2))
    assert torch.equal(before, model(source, target)[real])
    assert torch.equal(memory, model.encode(source)[source != 0])


@every_position
def test_a_sentence_of_padding_is_finite_and_leaves_the_others_alone(positions: str) -> None:
    model = EncoderDecoder(config(positions=positions), generator=seeded(0)).double()
    source, target = ids(2, 4), ids(2, 3, seed=1)
    expected = model(source[:1], target[:1])
    source[1] = target[1] = 0
    logits = model(source, target)
    torch.testing.assert_close(logits[:1], expected)
    logits.square().sum().backward()
    assert logits.isfinite().all()
    assert all(tensor.isfinite().all() for tensor in gradients(model).values())


@every_position
def test_an_empty_sentence_gives_no_rows_and_as_a_source_says_nothing(positions: str) -> None:
    nothing = torch.empty(2, 0, dtype=torch.long)
    assert EncoderOnly(config(positions=positions))(nothing).shape == (2, 0, 12)
    assert DecoderOnly(config(positions=positions))(nothing).shape == (2, 0, VOCAB)
    both = EncoderDecoder(config(positions=positions), generator=seeded(0)).double()
    target = ids(2, 3)
    padding = torch.zeros(2, 4, dtype=torch.long)
    torch.testing.assert_close(both(nothing, target), both(padding, target))


def test_an_id_for_padding_is_a_token_like_others_where_there_is_no_padding() -> None:
    model = DecoderOnly(config(padding_id=None), generator=seeded(0))
    tokens = torch.tensor([[0, 0, 5]])
    changed = torch.tensor([[0, 7, 5]])
    assert not torch.allclose(model(tokens)[:, 2], model(changed)[:, 2])


@every_position
@pytest.mark.parametrize("attention", get_args(Attention))
def test_padding_on_either_side_changes_nothing(attention: str, positions: str) -> None:
    if attention == "flash" and positions in ("relative", "alibi"):
        return  # refused: they add to every score
    values = {"positions": positions, "attention": attention}
    alone = DecoderOnly(config(**values), generator=seeded(0)).double()
    both = EncoderDecoder(config(**values), generator=seeded(0)).double()
    source, target = ids(1, 4), ids(1, 3, seed=1)
    padding = torch.zeros(1, 2, dtype=torch.long)
    for order, real in ((1, slice(2, 5)), (-1, slice(0, 3))):
        longer_source, longer = (torch.cat([padding, t][::order], dim=1) for t in (source, target))
        torch.testing.assert_close(alone(longer)[:, real], alone(target))
        torch.testing.assert_close(both(longer_source, longer)[:, real], both(source, target))


def test_without_padding_no_mask_is_made_for_it(monkeypatch: Patch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("nobody asked for padding")

    monkeypatch.setattr("transformer_lesson.models.padding_mask", refuse)
    monkeypatch.setattr("transformer_lesson.models.TokenEmbedding.forward", without_padding)
    model = DecoderOnly(config(padding_id=None), generator=seeded(0))
    model(ids(2, 5))
    with pytest.raises(AssertionError, match="nobody asked"):
        EncoderOnly(config(positions="none"), generator=seeded(0))(ids(2, 5))


def without_padding(
    self: Any, tokens: Tensor, start: int = 0, padding: Tensor | None = None
) -> Tensor:
    """An embedding that must not be told of padding."""
    assert padding is None
    return self.weight[tokens]
