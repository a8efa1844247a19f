"""translation/builtin.py: the split keeps from training what the test asks for."""

from collections import Counter
from functools import cache
from itertools import islice, pairwise

import pytest

from transformer_lesson.translation.builtin import held_out, make_builtin, sentences
from transformer_lesson.translation.corpora import load_corpus, load_natural
from transformer_lesson.translation.grammar import words
from transformer_lesson.translation.grammar.lexicon import lexicon
from transformer_lesson.translation.pairs import Corpus

PAIRS, SEED = 8_000, 5

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
    return make_builtin(pairs=PAIRS, seed=SEED)


def test_it_has_the_pairs_that_were_asked_for() -> None:
    made = corpus()
    assert (len(made.train), len(made.validation), len(made.test)) == (PAIRS, 500, 1_000)
    assert "8,000 pairs" in made.description and made.name == "builtin"


def test_the_seed_decides_all() -> None:
    one, same = (make_builtin(pairs=300, seed=1, validation=20, test=20) for _ in range(2))
    assert one == same
    other = make_builtin(pairs=300, seed=2, validation=20, test=20)
    assert not {p.english for p in one.train} & {p.english for p in other.train} - _short(one)


def _short(made: Corpus) -> set[str]:
    """Sentences so short that two seeds may well share them."""
    return {pair.english for pair in made.train if len(pair.english.split()) < 9}


def test_no_sentence_stands_twice() -> None:
    made = corpus()
    texts = [pair.english for split in (made.train, made.validation, made.test) for pair in split]
    assert len(set(texts)) == len(texts)


def test_training_holds_no_combination_that_is_kept_for_the_test() -> None:
    for split, unseen in (("train", False), ("validation", True), ("test", True)):
        for sentence in islice(sentences(SEED, split, unseen), 300):
            kept = {held_out(combination) for combination in sentence.combinations} - {""}
            assert kept == ({split} if unseen else set())


def test_an_adjective_that_is_kept_from_its_noun_is_never_seen_beside_it() -> None:
    known = lexicon()
    kept = set()
    said = Counter(adjective.english for adjective in known.adjectives.values())
    for adjective in known.adjectives.values():
        if said[adjective.english] > 1:  # "big" is grand or gros.
            continue
        for noun in known.nouns:
            if held_out(("adjective", adjective.name, noun.name)):
                kept |= {
                    (adjective.english, noun.english[0]),
                    (adjective.english, noun.english_plural[0]),
                }
    assert len(kept) > 1_000
    # Skipped: forms of two nouns ("glasses" to wear and to drink from, "alarm clock" and "clock").
    forms = Counter(word for noun in known.nouns for word in {*noun.english, *noun.english_plural})
    seen = 0
    for pair in corpus().train:
        for left, right in pairwise(words(pair.english, "en")):
            if forms[right] == 1 and left not in ("light", "patient"):
                seen += left in said
                assert (left, right) not in kept, pair
    assert seen > 500


def test_every_word_of_the_test_is_in_training() -> None:
    made = corpus()
    known = {word for pair in made.train for word in words(pair.english.lower(), "en")}
    unknown = Counter(
        word
        for pair in made.test
        for word in words(pair.english.lower(), "en")
        if word not in known
    )
    # Another form (a plural, a past) of a known lexeme may be new.
    assert sum(unknown.values()) < 60, unknown


@pytest.mark.parametrize("name", OFTEN)
def test_the_test_set_shows_each_phenomenon_often_enough(name: str) -> None:
    count = sum(name in pair.phenomena for pair in corpus().test)
    assert count >= OFTEN[name]


def test_rare_words_are_rare() -> None:
    made = corpus()
    rare = [pair for pair in made.test if "rare-word" in pair.phenomena]
    assert len(rare) >= 50
    assert not any("unseen" in pair.phenomena for pair in made.train)


def test_it_makes_no_sentence_that_lasts_forever() -> None:
    tiny = make_builtin(pairs=5, validation=4, test=4)
    assert len(tiny.train) == 5 and len(tiny.test) <= 4


@pytest.mark.parametrize("option", ["pairs", "validation", "test"])
def test_numbers_must_be_positive(option: str) -> None:
    with pytest.raises(ValueError, match=f"{option}=0 must be at least 1"):
        load_corpus("builtin", **{option: 0})


def test_the_natural_pairs_are_300_and_well_formed() -> None:
    pairs = load_natural()
    assert len(pairs) == 300
    assert len({pair.english for pair in pairs}) == 300
    for pair in pairs:
        assert pair.english[-1] in ".?!" and pair.french[-1] in ".?!"
        assert pair.english == pair.english.strip() and "  " not in pair.english + pair.french
        assert pair.french[-1] == "." or pair.french[-2] == " ", pair.french
