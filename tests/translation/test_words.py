"""translation/words.py: what counts as a word in either language."""

import pytest

from transformer_lesson.translation.words import words


def test_words_of_a_text() -> None:
    english = words("Paul's brother doesn't sleep at two o'clock.", "en")
    assert english == ["Paul", "'s", "brother", "doesn't", "sleep", "at", "two", "o'clock", "."]
    french = words("L\u2019homme a-t-il mangé aujourd'hui, mon grand-père ?", "fr")
    assert french == [
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
