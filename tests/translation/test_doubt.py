"""Shares of doubt: fitted, kept, and taken from what the model computes."""

from pathlib import Path

import pytest
import torch

from tests.translation.toy import CORPUS, RECIPE
from transformer_lesson.translation.doubt import (
    Calibration,
    describe,
    right_words,
    translate_in_doubt,
    word_probabilities,
)
from transformer_lesson.translation.recipe import train_translator
from transformer_lesson.translation.vocabulary import START


def test_a_fitted_share_is_how_many_were_right(tmp_path: Path) -> None:
    # Of words of probability p, p squared are right: a model too sure of itself.
    generator = torch.Generator().manual_seed(0)
    p = torch.rand(20_000, generator=generator)
    right = torch.rand(20_000, generator=generator) < p**2
    calibration = Calibration.fit(p.tolist(), right.tolist())
    for probability in (0.1, 0.5, 0.9):
        assert calibration.share(probability) == pytest.approx(probability**2, abs=0.04)
    assert list(calibration.shares) == sorted(calibration.shares)
    calibration.save(tmp_path)
    assert Calibration.load(tmp_path) == calibration
    with pytest.raises(ValueError, match="expected at least 20"):
        Calibration.fit([0.5], [True])


def test_a_word_has_the_product_of_its_pieces() -> None:
    translator, _ = train_translator(CORPUS, RECIPE, progress=False)
    french = ["un gros chat", "un chien"]
    found = word_probabilities(translator, ["a big cat", "a dog"], french)
    assert [[word for word, _ in words] for words in found] == [text.split() for text in french]
    ids = translator.vocabulary.encode(french[0])
    source = torch.tensor([translator.source("a big cat")])
    scores = translator.model(source, torch.tensor([[START, *ids]])).softmax(-1)[0]
    whole = torch.stack([scores[i, piece] for i, piece in enumerate(ids)]).prod().item()
    product = found[0][0][1] * found[0][1][1] * found[0][2][1]
    assert product == pytest.approx(whole, rel=1e-4)
    text, shares = translate_in_doubt(translator, Calibration((0, 1), (0, 0.4)), "a dog " * 30)
    assert len(text.split()) == len(shares)
    assert "in doubt: un (" in describe(shares) and describe([]) == "  no words"


def test_right_words_are_counted_as_often_as_they_stand() -> None:
    words = ["Le", "chat,", "le", "le", "chien."]
    assert right_words(words, "le chat et le Chien") == [True, True, True, False, True]
