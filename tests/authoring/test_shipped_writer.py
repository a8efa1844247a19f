"""The writer that the course ships does what its card says."""

import json

import pytest

from authoring.shipped.translator import BEGIN, END
from authoring.shipped.writer_card import CARD, SCORES, TrainingText, held_out, table, words
from transformer_lesson.translation.stored import CONFIG, MODEL, VOCABULARY
from transformer_lesson.translation.writer import SHIPPED, Writer


def test_the_card_says_what_was_measured() -> None:
    told = CARD.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
    assert told == table(json.loads(SCORES.read_text(encoding="utf-8")))


@pytest.mark.rare
def test_its_loss_is_what_the_card_says_and_eight_bits_cost_nothing() -> None:
    found = json.loads(SCORES.read_text(encoding="utf-8"))
    assert held_out(Writer.shipped(), 300) == pytest.approx(found["first 300"], abs=0.002)
    assert found["8 bits"] == pytest.approx(found["float32"], abs=0.01)


def test_it_is_small_enough_to_ship() -> None:
    assert sum((SHIPPED / name).stat().st_size for name in (MODEL, CONFIG, VOCABULARY)) < 6e6


def test_what_stands_in_the_training_text_is_found_word_for_word() -> None:
    text = TrainingText(["I like cats.", "Do you like old cats?"])
    assert text.longest(words("Do you like cats?")) == 3
    assert text.longest(words("cats I do")) == 1  # in no sentence do they stand in a row
    assert text.longest(words("like cat")) == 1  # a part of a word is none
    assert text.compared(["I like cats!", "I like dogs."]) == {
        "words a text": 3.0,
        "whole": 50,
        "longest run": 83,
        "unknown words": 16.7,
    }
