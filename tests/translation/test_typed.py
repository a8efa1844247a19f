"""What people type is read as what they mean, and long text in parts."""

import pytest

from transformer_lesson.translation.typed import as_read, parts, sentences

ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZé0123456789 .,!?'\"-")


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("I WAS THERE. WERE YOU?", "I was there. Were you?"),
        ("i think he's late. am i?", "I think he's late. Am I?"),
        ("I live in the USA.", "I live in the USA."),
        ("USA", "USA"),
        ("It\u2019s \u201cfine\u201d \u2013 really\u2026", 'It\'s "fine" - really.'),
        ("Krzyżanowska, café, Ñandú", "Krzyzanowska, café, Nandu"),
        ("non\u00a0stop \u2603", "Non stop \u2603"),
        ("", ""),
    ],
)
def test_it_is_read(typed: str, read: str) -> None:
    assert as_read(typed, ALPHABET) == read
    assert len(as_read(typed, ALPHABET)) == len(typed)


def test_an_alphabet_without_capitals_gets_none() -> None:
    assert as_read("Tom is here", frozenset("abcdefghijklmnopqrstuvwxyz ")) == "tom is here"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Go. Now!", ["Go.", "Now!"]),
        ('He said "No!" Then he left.', ['He said "No!"', "Then he left."]),
        ("Mr. Brown came at 7 p.m. with J. Smith.", None),
        ("It costs 3.50 here...", None),
        ("Really?! Yes.", ["Really?!", "Yes."]),
    ],
)
def test_sentences_end_where_they_end(text: str, found: list[str] | None) -> None:
    assert sentences(text) == (found or [text])


@pytest.mark.parametrize("text", ["a, b c d " * 9, "word " * 20, "x" * 50, "One. " * 8, "", "a"])
def test_parts_fit_and_lose_nothing(text: str) -> None:
    cut = parts(text, lambda part: len(part) <= 12)
    assert all(len(part) <= 12 for part in cut)
    assert "".join(cut).replace(" ", "") == text.replace(" ", "")
