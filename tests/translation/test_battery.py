"""The battery notices what it is made to notice."""

from pathlib import Path

import pytest

from transformer_lesson.translation.battery import failures, holds, load, shares, tried
from transformer_lesson.translation.translator import Translator


def test_it_has_twenty_sentences_of_each_kind_or_thirty() -> None:
    kinds = load()
    assert [len(rows) for rows in kinds.values()] == [30] * 10 + [20] * 17
    english = [row[0] for rows in kinds.values() for row in rows]
    assert len(set(english)) == 640
    assert not any(holds(row[0], "", row[1]) for rows in kinds.values() for row in rows)


@pytest.mark.parametrize(
    ("english", "french", "found"),
    [
        ("It is 10:45.", "Il est 10\u00a0h\u00a045.", True),
        ("It is 10:45.", "Il est 10 h 54.", False),
        ("My name is Gwendolyn.", "Je m'appelle Gwen.", False),
        ("I do not like fish.", "Je n\u2019aime pas le poisson.", True),
        ("I do not like fish.", "J'aime le poisson.", False),
        ("I have 17 cats.", "J'ai 17 chats, chats, chats.", False),
        ("It is late. I am going home.", "Il est tard.", False),
        ('"Come in," she said.', "« Entrez », dit-elle.", True),
    ],
)
def test_a_translation_holds_or_not(english: str, french: str, found: bool) -> None:
    patterns = dict(row for rows in load().values() for row in rows)[english]
    assert holds(english, french, patterns) is found


def test_the_shipped_translator_is_tried(tmp_path: Path) -> None:
    path = tmp_path / "battery.tsv"
    path.write_text("# names\nNoor is late.\tNoor & !Nor\nTom is late.\t!Tom\n", "utf-8")
    found = tried(Translator.shipped(), path)
    assert list(found) == [1, 4]
    assert shares(found[1]) == {"names": 50}
    assert failures(found[4]) == {"names": [("Tom is late.", "Tom est en retard.")]}
