"""Slips are put right; names, large numbers and quotations wait outside and come back."""

import pytest

from transformer_lesson.translation.known_words import KnownWords
from transformer_lesson.translation.stand_ins import Draft, put_back, put_quotation, with_stand_ins
from transformer_lesson.translation.translator import Translator

WORDS = KnownWords(
    [
        *("the", "I", "you", "Tom", "they", "friend", "don't", "believe", "restaurant", "very"),
        *("is", "late", "lives", "in", "Mr", "Monday", "run"),
    ]
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("they dont beleive", "they don't believe"),
        ("Teh resturant is verry late", "The restaurant is very late"),
        ("Zbigniew is late", "Zbigniew is late"),
        ("the nun", "the nun"),  # as likely itself as a slip of "run"
        ("i_x lat3", "i_x lat3"),
    ],
)
def test_slips_are_put_right_and_other_words_left(typed: str, meant: str) -> None:
    assert WORDS.spelled(typed, recased=False) == meant


def test_a_name_comes_back_where_another_stood() -> None:
    text, names = with_stand_ins("Emmeline Okafor, Tom's friend, lives in Oslo.", WORDS)
    assert text == "Jackson, Tom's friend, lives in Boston."
    french = [(word, 0.5) for word in ["ami", "de", "Jackson,", "à", "Boston."]]
    words = put_back(french, names)
    assert words == [("ami", 0.5), ("d'Emmeline Okafor,", 0.5), ("à", 0.5), ("Oslo.", 0.5)]
    assert put_back(french[:3], names) is None, "Boston was lost"


def test_a_year_that_was_lost_is_stood_in_for_the_second_time() -> None:
    read = "Tom lives in 1977"
    assert with_stand_ins(read, WORDS) == (read, [])
    assert not Draft(read, "Tom vit en 197", []).holds()
    assert Draft(read, "Tom vit en 1977", []).holds()
    text, years = with_stand_ins(read, WORDS, attempt=1)
    assert text == "Tom lives in 1980"
    assert put_back([("1980", 0.5)], years) == [("1977", 0.5)]


def test_a_quotation_stands_where_yes_stood() -> None:
    frame = [(word, 1.0) for word in ["«", "Oui,", "dit-elle."]]
    quoted = [("Venez", 0.5), ("!", 0.5)]
    whole = " ".join(word for word, _ in put_quotation(frame, quoted))
    assert whole == "« Venez ! » dit-elle."


@pytest.mark.parametrize(
    ("english", "part"),
    [
        ("Thank you, Ekaterina.", "Ekaterina"),
        ("This is my friend Oluwaseun.", "Oluwaseun"),
        ("He sold 84,500 books.", "84\u202f500"),
        ('"I lost my key," she said.', "« J'ai perdu ma clé », "),
        ("I beleive you.", "croi"),
        ("The shop closes at 5 pm.", "17"),
    ],
)
def test_the_shipped_translator_keeps_them(english: str, part: str) -> None:
    (french,) = Translator.shipped().translate([english])
    assert part in french
