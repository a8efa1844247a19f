"""authoring/grammar/splits.py: training is kept from what the test asks for."""

from collections import Counter
from itertools import islice, pairwise

from authoring.grammar.lexicon import lexicon
from authoring.grammar.splits import draw_splits, held_out, sentences
from transformer_lesson.translation.corpora import Pair, load_corpus
from transformer_lesson.translation.words import words

SEED = 5


def test_the_seed_decides_all() -> None:
    one, same = (draw_splits(1, train=300, validation=20, test=20) for _ in range(2))
    assert one == same
    other = draw_splits(2, train=300, validation=20, test=20)
    shared = {p.english for p in one["train"]} & {p.english for p in other["train"]}
    # Two seeds may well share a sentence that is short.
    assert all(len(english.split()) < 9 for english in shared)


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
    for pair in load_corpus("builtin", pairs=8_000).train:
        for left, right in pairwise(words(pair.english, "en")):
            if forms[right] == 1 and left not in ("light", "patient"):
                seen += left in said
                assert (left, right) not in kept, pair
    assert seen > 500


def test_rare_words_and_unseen_combinations_are_marked() -> None:
    splits = draw_splits(SEED, train=2_000, validation=50, test=100)
    assert sum("rare-word" in pair.phenomena for pair in splits["test"]) >= 5
    assert sum("unseen" in pair.phenomena for pair in splits["test"]) == 50
    assert not any("unseen" in pair.phenomena for pair in splits["train"])


def test_a_training_set_too_small_for_the_test_ends_the_search() -> None:
    tiny: dict[str, list[Pair]] = draw_splits(0, train=5, validation=4, test=4)
    assert len(tiny["train"]) == 5 and len(tiny["test"]) <= 4
