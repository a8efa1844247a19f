"""translation/words.py: what counts as a word in either language."""

import pytest

from transformer_lesson.translation.words import words


def test_words_of_a_text() -> None:
    assert words("Paul's brother doesn't sleep at two o'clock.", "en") == [
        "Paul",
        "'s",
        "brother",
        "doesn't",
        "sleep",
        "at",
        "two",
        "o'clock",
        ".",
    ]
    assert words("L\u2019homme a-t-il mangé aujourd'hui, mon grand-père ?", "fr") == [
        "L'",
        "homme",
        "a",
        "-t-il",
        "mangé",
        "aujourd'hui",
        ",",
        "mon",
        "grand-père",
        "?",
    ]
    with pytest.raises(ValueError, match="language='de'"):
        words("Hallo", "de")
