"""The translator that the course ships does what its card says."""

import json
import re
from itertools import islice

import pytest
import torch

from authoring.shipped.missing import counted, judged, pairs_of_one_word
from authoring.shipped.translator import (
    BEGIN,
    CARD,
    END,
    SCORES,
    commands,
    fitted,
    literal,
    right_words,
    table,
)
from transformer_lesson.translation.corpora import load_natural
from transformer_lesson.translation.evaluation import score
from transformer_lesson.translation.translator import SHIPPED, Translator

FOUND = json.loads(SCORES.read_text(encoding="utf-8"))


def test_the_card_says_what_was_measured() -> None:
    numbers = CARD.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
    assert table(FOUND) in numbers
    assert FOUND["commands"] == [" ".join(["python", *one]) for one in commands("runs/everyday")]
    assert all(command in numbers for command in FOUND["commands"])


@pytest.mark.sampled(2)
def test_the_natural_pairs_score_what_the_card_says() -> None:
    pairs = load_natural()
    texts = Translator.shipped().translate([pair.english for pair in pairs])
    found = score(texts, [pair.french for pair in pairs], resamples=0)
    (told,) = (
        row["bleu"]
        for row in FOUND["scores"]
        if (row["set"], row["weights"], row["beam"]) == ("natural", "int8", 1)
    )
    # A sentence in a hundred may come out in other words on another processor.
    assert found.bleu == pytest.approx(told, abs=0.5)


def test_a_word_is_named_as_missing_where_a_reader_misses_it() -> None:
    """Of the half of the long sentences on which no threshold was chosen."""
    untrue, found, every = counted(Translator.shipped(), judged()[1:80:2])
    assert untrue <= 2 and found >= 0.6 * every > 10


def test_a_word_that_one_sentence_has_more_is_named() -> None:
    translator = Translator.shipped()
    assert translator.vocabulary.words
    pairs = list(islice(pairs_of_one_word(translator.vocabulary.words), 40))
    assert counted(translator, pairs)[1] >= 36


BLEU = {(row["set"], row["beam"], row["weights"]): row["bleu"] for row in FOUND["scores"]}


def test_prices_on_the_card_make_no_formula() -> None:
    assert literal("$139 → 139 $, a_b *c*") == r"\$139 → 139 \$, a\_b \*c\*"
    told = CARD.read_text("utf-8")
    assert not re.search(r"(?<!\\)\$", told)


@pytest.mark.sampled(2)
def test_eight_bits_and_lost_capitals_cost_little() -> None:
    whole = {key: value for key, value in BLEU.items() if key[2] == "float32"}
    assert whole and all(BLEU[name, beam, "int8"] > v - 1 for (name, beam, _), v in whole.items())
    for beam in (1, 4):
        for typed in ("everyday, all capitals", "everyday, no capitals"):
            assert BLEU[typed, beam, "int8"] > BLEU["everyday", beam, "int8"] - 3


def test_it_is_small_enough_to_ship() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < 10e6


def test_a_fitted_share_is_how_many_were_right() -> None:
    # Of words of probability p, p squared are right: a model too sure of itself.
    generator = torch.Generator().manual_seed(0)
    p = torch.rand(20_000, generator=generator)
    right = torch.rand(20_000, generator=generator) < p**2
    calibration = fitted(p.tolist(), right.tolist())
    for probability in (0.1, 0.5, 0.9):
        assert calibration.share(probability) == pytest.approx(probability**2, abs=0.04)
    assert list(calibration.shares) == sorted(calibration.shares)


def test_right_words_are_counted_as_often_as_they_stand() -> None:
    words = ["Le", "chat,", "le", "le", "chien."]
    assert right_words(words, "le chat et le Chien") == [True, True, True, False, True]
