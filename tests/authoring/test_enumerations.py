"""Enumerations say the same in both languages, with the determiner that French needs."""

import re
from random import Random

import pytest

from authoring.shipped import enumerations
from authoring.shipped.enumerations import enumeration

TABLE = {
    "goods": [("apples", "des pommes"), ("oil", "de l'huile"), ("axes", "des *haches")],
    "things": [("a dog", "un chien"), ("an island", "une île"), ("an axe", "une *hache")],
    "my": [("my keys", "mes clés"), ("my bag", "mon sac"), ("my car", "ma voiture")],
    "numbers": [("one", "un"), ("two", "deux"), ("three", "trois")],
}
# What each slot may hold, English and French word by word.
WORDS = {
    "and goods": {"apples": "des pommes", "oil": "de l'huile", "axes": "des haches"},
    "and any goods": {"apples": "les pommes", "oil": "l'huile", "axes": "les haches"},
    "or the goods": {"the apples": "les pommes", "the oil": "l'huile", "the axes": "les haches"},
    "and of goods": {"apples": "de pommes", "oil": "d'huile", "axes": "de haches"},
    "row things": {"a dog": "un chien", "an island": "une île", "an axe": "une hache"},
    "and the things": {"the dog": "le chien", "the island": "l'île", "the axe": "la hache"},
    "one things": {"a dog": "un chien", "an island": "une île", "an axe": "une hache"},
    "and my": {"my keys": "mes clés", "my bag": "mon sac", "my car": "ma voiture"},
}


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumerations, "_words", TABLE.__getitem__)
    monkeypatch.setattr(
        enumerations, "_COUNTS", {"and": (2, 3), "or": (2, 3), "row": (3,), "one": (1,)}
    )


def cut(text: str) -> list[str]:
    return re.split(r",? (?:and|or|et|ou) |, ", text)


@pytest.mark.parametrize("slot", WORDS)
@pytest.mark.parametrize("seed", range(8))
def test_each_word_stands_beside_its_translation(slot: str, seed: int) -> None:
    english, french = enumeration(slot, Random(seed))
    assert [WORDS[slot][word] for word in cut(english)] == cut(french)
    joined = {"and": " et ", "or": " ou "}.get(slot.split()[0])
    assert (joined is None) == (not re.search(" et | ou ", french)) and (joined or "") in french


def test_a_shared_determiner_is_said_once_in_english_alone() -> None:
    english, french = enumeration("and shared my", Random(0))
    assert english.count("my ") == 1 and len(re.findall(r"m(?:es|on|a) ", french)) >= 2


def test_whose_things_and_how_many() -> None:
    drawn = [enumeration("and my things", Random(seed)) for seed in range(20)]
    assert all("mon île" in f or "ton île" in f or "son île" in f for _, f in drawn if "île" in f)
    assert any(re.search(r"[mts]a hache", french) for _, french in drawn)
    counted = " ".join(f for _, f in (enumeration("and two goods", Random(i)) for i in range(20)))
    assert re.search("(?:deux|trois) pommes", counted) and "de l'huile" in counted
