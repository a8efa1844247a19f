"""Shares of doubt: kept, and taken from what the model computes."""

from pathlib import Path

import pytest
import torch

from tests.translation.toy import CORPUS, RECIPE
from transformer_lesson.translation.doubt import (
    Calibration,
    describe,
    not_kept,
    overlooked,
    translate_in_doubt,
    word_probabilities,
)
from transformer_lesson.translation.recipe import train_translator
from transformer_lesson.translation.stand_ins import Draft, StandIn
from transformer_lesson.translation.translator import Translator
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
    text, shares, missing = translate_in_doubt(
        translator, Calibration((0, 1), (0, 0.4)), "a dog " * 30
    )
    assert len(text.split()) == len(shares)
    assert "in doubt: un (" in describe(shares) and describe([]) == "  no words"
    assert missing == [] and describe(shares, ["cat"]).endswith(
        "; nothing seems to be there for: cat"
    )


def test_what_is_left_out_is_missing() -> None:
    translator = Translator.shipped()
    read = "I like tea, coffee and milk."
    whole, cut = "J'aime le thé, le café et le lait.", "J'aime le thé et le lait."
    assert overlooked(translator, Draft(read, [], whole)) == []
    assert overlooked(translator, Draft(read, [], cut)) == ["coffee"]
    read = "How much does this cost?"
    assert overlooked(translator, Draft(read, [], "Combien ça coûte ?")) == []


def test_what_is_missing_is_named_as_it_was_typed() -> None:
    translator = Translator.shipped()
    typed = "They left.  I forgott to buy bread agian."
    _, _, missing = translate_in_doubt(translator, Calibration((0, 1), (0, 1)), typed)
    assert missing == ["agian"]
    lost = ("01614960732", "0161 496 0732", "9,99", "45000", "3000", "Noor")
    text = "Noor (0161 496 0732) paid 9.99 for 45,000, not 3 000."
    told = not_kept(translator, text, [Draft("", [], "", lost=lost)])
    assert told == ["0161 496 0732", "9.99", "45,000", "3 000", "Noor"]


def test_what_could_not_be_kept_is_missing_and_other_figures_are_doubted() -> None:
    draft = Draft("Noor has 25.", [], "Nor a 20, dit Tom.", typed="Noor has 25.")
    lost = draft.giving_up([StandIn("John", "Noor", "John", "Noor")])
    assert lost.lost == ("Noor", "25") and not lost.holds()
    assert [word for word, p in lost.words(Draft.bare) if p == 0] == ["20,", "Tom."]
    draft = Draft("It is 9.99.", [], "C'est 99.", typed="It is 9,99.")
    lost = draft.giving_up([StandIn("2000", "9.99", "2000", "9,99")])
    assert lost.lost == ("9.99",), "as it was typed, and once"
    assert Draft("", [], "", quoted=[lost], lost=("Noor",)).not_kept() == ["Noor", "9.99"]
