"""authoring/everyday.py: what becomes of raw pairs."""

import gzip
import os
from pathlib import Path

import pytest

from authoring import everyday
from authoring.everyday import is_clean, key, level, normalized, ranks, splits
from transformer_lesson.translation.corpora import Pair


@pytest.mark.parametrize(
    ("raw", "made"),
    [
        ("Qu\u2019est-ce que c\u2019est?", "Qu'est-ce que c'est ?"),
        ("Quoi\u202f?!", "Quoi ?!"),
        ("«Oui.»  «Non »", "« Oui. » « Non »"),
        ("Elle dit : « Va ! »", "Elle dit : « Va ! »"),
        ("C'est à 8:40; viens.", "C'est à 8:40 ; viens."),
        ("Un bail …", "Un bail..."),
        ("sur \u200b\u200bla musique , ici .", "sur la musique, ici."),
        ("De\u0301ja\u0300 ?", "Déjà ?"),
    ],
)
def test_french_is_written_in_one_way(raw: str, made: str) -> None:
    assert normalized(raw, "fr") == made
    assert normalized(made, "fr") == made


def test_english_is_written_in_one_way() -> None:
    assert normalized("I\u2018m  here , aren\u2019t I?", "en") == "I'm here, aren't I?"


@pytest.mark.parametrize(
    ("sentence", "clean"),
    [
        ('"Who is it?" "It\'s me."', True),
        ("« À demain ! »", True),
        ("10 % de 3,50 €, c'est peu.", True),
        ("je dois parler.", False),
        ("Nous étions là", False),
        ("\u0421'est gentil.", False),  # begins with a Cyrillic letter
        ("Io l'aiuterò se possibile.", False),
    ],
)
def test_a_clean_sentence_goes_from_a_capital_to_a_mark(sentence: str, clean: bool) -> None:
    assert is_clean(sentence) == clean


def test_a_sentence_is_the_same_whatever_its_case_and_punctuation() -> None:
    assert key("Let's go!") == key("LETS  GO.") != key("Let us go!")


def test_the_level_is_that_of_the_length_or_of_the_rarest_word() -> None:
    rank = {"i": 1, "see": 2, "lizards": 4_000}
    assert level("I see.", rank) == (0.25, 0.001)
    assert level("I see lizards.", rank) == (2.0, 0.375)


def test_ranks_count_from_the_commonest_word() -> None:
    assert ranks([["b", "a"], ["a", "c"]]) == {"a": 1, "b": 2, "c": 3}


def test_the_usual_translation_stays_and_the_test_has_a_sentence_first() -> None:
    raw = {
        "train": [
            Pair("Go!", "Fichez le camp !"),
            Pair("Go.", "Va !"),
            Pair("Run.", "Va !"),
            Pair("Stop!", "Arrête !"),
            Pair("See you tomorrow.", "À demain !"),
            Pair("Tom sees a lizard in the garden of the school.", "Tom voit un lézard."),
        ],
        "validation": [Pair("Wait.", "Attends !"), Pair("STOP", "Arrêtez !")],
        "test": [Pair("Stop.", "Arrêtez !")],
    }
    held = splits(raw)
    english = {name: [pair.english for pair in pairs] for name, pairs in held.items()}
    assert english == {
        # "See you tomorrow." is one of the natural pairs.
        "train": ["Go.", "Run.", "Tom sees a lizard in the garden of the school."],
        "validation": ["Wait."],
        "test": ["Stop."],
    }
    assert [pair.phenomena for pair in held["train"]] == [{"short"}, {"short"}, frozenset()]


def test_it_makes_the_files_from_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for split, english, french in (
        ("train", "Go.\nRun.\n", "Va !\nCours !\n"),
        ("valid", "Wait.\n", "Attends !\n"),
        ("test", "Stop.\n", "Arrête !\n"),
    ):
        (tmp_path / f"{split}.en.gz").write_bytes(gzip.compress(english.encode()))
        (tmp_path / f"{split}.fr.gz").write_bytes(gzip.compress(french.encode()))
    made = tmp_path / "made"
    made.mkdir()
    monkeypatch.setattr(everyday, "DATA", made)
    assert everyday.main([str(tmp_path), "--check"]) == 1 and not list(made.iterdir())
    assert everyday.main([str(tmp_path)]) == 0 == everyday.main([str(tmp_path), "--check"])
    held = gzip.decompress((made / "train.tsv.gz").read_bytes()).decode()
    assert held == "Go.\tVa !\tshort\nRun.\tCours !\tshort\n"


@pytest.mark.skipif(
    "COURSE_DATA" not in os.environ,
    reason="COURSE_DATA names no folder of the raw pairs, which are not part of the repository",
)
def test_the_shipped_files_are_what_the_raw_pairs_give() -> None:
    assert everyday.main([str(Path(os.environ["COURSE_DATA"]) / "everyday"), "--check"]) == 0
