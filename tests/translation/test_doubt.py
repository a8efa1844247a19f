"""Shares of doubt: kept, and taken from what the model computes."""

from pathlib import Path

import pytest
import torch

from tests.translation.toy import CORPUS, RECIPE
from transformer_lesson.translation.doubt import (
    Calibration,
    describe,
    translate_in_doubt,
    word_probabilities,
)
from transformer_lesson.translation.recipe import train_translator
from transformer_lesson.translation.vocabulary import START


def test_shares_are_read_from_beside_the_model(tmp_path: Path) -> None:
    (tmp_path / "doubt.json").write_text('{"probabilities": [0, 1], "shares": [0.2, 0.4]}')
    assert Calibration.load(tmp_path).share(0.5) == pytest.approx(0.3)


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
