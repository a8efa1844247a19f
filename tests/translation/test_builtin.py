"""translation/builtin.py: the corpus that the package ships, and what its splits keep apart."""

from collections import Counter
from functools import cache

import pytest

from transformer_lesson.translation.corpora import Corpus, load_corpus, load_more, load_natural
from transformer_lesson.translation.words import words

# At least so many of 1,000 test pairs show it.
OFTEN = {
    "elision": 250,
    "contraction": 80,
    "negation": 50,
    "clitic": 100,
    "passe-compose-avoir": 200,
    "future": 80,
    "passe-compose-etre": 50,
    "adjective-before": 100,
    "adjective-after": 120,
    "question": 40,
    "reflexive": 50,
    "number": 50,
    "place": 100,
    "possessive": 100,
    "coordination": 100,
    "subordinate": 100,
    "word-sense": 50,
    "unseen": 450,
    "long": 60,
    "imperfect": 100,
    "antecedent": 150,
    "tu-vous": 30,
    "participle-agreement": 40,
    "relative-que": 30,
    "relative-qui": 15,
    "agreement-at-distance": 25,
    "gender-from-context": 25,
    "special-masculine": 4,
    "pas-de": 8,
    "partitive": 10,
    "indefinite-plural": 30,
    "h-aspire": 5,
}


@cache
def corpus() -> Corpus:
    return load_corpus("builtin")


def test_it_has_the_pairs_that_its_description_names() -> None:
    held = corpus()
    assert (len(held.train), len(held.validation), len(held.test)) == (40_000, 500, 1_000)
    assert held.description.startswith("40,000 pairs") and held.name == "builtin"


def test_fewer_pairs_are_the_first_of_all_and_the_test_stays() -> None:
    small = load_corpus("builtin", pairs=300)
    assert small.train == corpus().train[:300]
    assert (small.validation, small.test) == (corpus().validation, corpus().test)
    assert small.description.startswith(corpus().description)
    assert "Only the first 300" in small.description


@pytest.mark.parametrize("pairs", [0, 40_001])
def test_pairs_that_do_not_exist_are_refused(pairs: int) -> None:
    with pytest.raises(ValueError, match=f"pairs={pairs} must be from 1 to 40000"):
        load_corpus("builtin", pairs=pairs)


def test_no_sentence_stands_twice() -> None:
    held = corpus()
    texts = [pair.english for split in (held.train, held.validation, held.test) for pair in split]
    assert len(set(texts)) == len(texts)


def test_every_word_of_the_test_is_in_training() -> None:
    held = corpus()
    known = {word for pair in held.train for word in words(pair.english.lower(), "en")}
    unknown = Counter(
        word
        for pair in held.test
        for word in words(pair.english.lower(), "en")
        if word not in known
    )
    # Another form (a plural, a past) of a known lexeme may be new.
    assert sum(unknown.values()) < 20, unknown


def test_alignments_stay_within_their_sentences() -> None:
    for pair in (*corpus().validation, *corpus().test):
        assert pair.alignment == tuple(sorted(set(pair.alignment or ()))) != ()
        places, others = zip(*pair.alignment, strict=True)
        assert max(places) < len(words(pair.english, "en"))
        assert max(others) < len(words(pair.french, "fr"))


@pytest.mark.parametrize("name", OFTEN)
def test_the_test_set_shows_each_phenomenon_often_enough(name: str) -> None:
    count = sum(name in pair.phenomena for pair in corpus().test)
    assert count >= OFTEN[name]


def test_further_pairs_are_short_and_new() -> None:
    more = load_more()
    assert len(more) > 20_000 and len({pair.english for pair in more}) > 0.95 * len(more)
    assert max(len(words(pair.english, "en")) for pair in more) == 16
    known = {pair.english for pair in corpus().train}
    assert sum(pair.english in known for pair in more) < 0.05 * len(more)


def test_the_natural_pairs_are_300_and_well_formed() -> None:
    pairs = load_natural()
    assert len(pairs) == 300
    assert len({pair.english for pair in pairs}) == 300
    for pair in pairs:
        assert pair.english[-1] in ".?!" and pair.french[-1] in ".?!"
        assert pair.english == pair.english.strip() and "  " not in pair.english + pair.french
        assert pair.french[-1] == "." or pair.french[-2] == " ", pair.french
