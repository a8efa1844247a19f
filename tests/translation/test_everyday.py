"""translation/everyday.py: what the shipped sentences are, and what their splits keep apart."""

import re
from functools import cache

from transformer_lesson.translation import everyday
from transformer_lesson.translation.corpora import Corpus, load_corpus, load_natural


@cache
def corpus() -> Corpus:
    return load_corpus("everyday")


def test_it_has_the_pairs_that_its_description_names() -> None:
    held = corpus()
    sizes = len(held.train), len(held.validation), len(held.test)
    assert sizes == (everyday.PAIRS, 1_498, 1_496)
    assert held.name == "everyday" and held.description.startswith("95,395 pairs")
    assert "CC BY 2.0 FR" in held.description


def test_no_english_sentence_stands_twice_nor_among_the_natural_pairs() -> None:
    held = corpus()
    splits = (held.train, held.validation, held.test, load_natural())
    texts = [re.sub(r"[\W_]", "", pair.english.casefold()) for split in splits for pair in split]
    assert len(set(texts)) == len(texts)


def test_the_short_pairs_come_first_in_training_and_anywhere_in_the_test() -> None:
    held = corpus()
    train, test = (
        ["short" in pair.phenomena for pair in split] for split in (held.train, held.test)
    )
    assert train == sorted(train, reverse=True) and sum(train) == everyday.SHORT_PAIRS
    assert sum(test) == 863 and test != sorted(test, reverse=True)


def test_the_short_pairs_have_few_words_and_common_ones() -> None:
    short = [pair.english.lower() for pair in corpus().train[: everyday.SHORT_PAIRS]]
    words = [re.findall(r"\w+(?:['-]\w+)*", text) for text in short]
    assert max(map(len, words)) == everyday.SHORT_WORDS
    known = {word for text in words for word in text}
    assert len(known) == everyday.COMMON_WORDS
    for pair in (*corpus().validation, *corpus().test):
        found = re.findall(r"\w+(?:['-]\w+)*", pair.english.lower())
        easy = len(found) <= everyday.SHORT_WORDS and known.issuperset(found)
        assert easy == ("short" in pair.phenomena), pair


def test_fewer_pairs_are_the_easiest_and_the_test_stays() -> None:
    small = load_corpus("everyday", pairs=3_000)
    assert small.train == corpus().train[:3_000]
    assert (small.validation, small.test) == (corpus().validation, corpus().test)
    assert max(len(pair.english.split()) for pair in small.train) <= 4
    assert "Only the 3,000 easiest" in small.description


def test_the_text_is_written_in_one_way() -> None:
    held = corpus()
    for pair in (*held.train, *held.validation, *held.test):
        for text in (pair.english, pair.french):
            assert text == " ".join(text.split()) and not re.search(
                "[\u2018\u2019\u00a0\u202f\u200b]", text
            )
            assert text.rstrip(' )"»')[-1] in ".?!", text
        assert not re.search(r"[^\s?!\"«][?!]", pair.french), pair.french
