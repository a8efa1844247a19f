"""The built-in corpus: pairs that a grammar makes, split so that the test holds the unseen.

What training never shows is decided by `held_out`: a *combination* is an adjective with its noun,
a noun with the verb it is the subject of, or a noun with the verb it is an object of. By a checksum
of its name two combinations in 30 are kept for the test set and one in 30 for validation, whatever
the seed. Training pairs hold none of them; half of the test pairs, marked ``"unseen"``, hold at
least one. Every lexeme of a test pair is in training.
"""

import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from random import Random
from zlib import crc32

from transformer_lesson.translation.grammar.draft import Refused
from transformer_lesson.translation.grammar.sentences import Sentence, finished, rough_sentence
from transformer_lesson.translation.pairs import Corpus, Pair

BUCKETS = 30
RARE = 20
PATIENCE = 200

DESCRIPTION = (
    "{train:,} pairs made by the course's grammar (seed {seed}), beside {validation:,} for "
    "validation and {test:,} for the test. Half of these hold a combination of two words "
    "(adjective and noun, subject and verb, verb and object) that training never shows; all of "
    "their words are in training, if not in every form. The language is correct but small: it has "
    "no world behind it, no texts, no idioms."
)


@cache
def held_out(combination: tuple[str, str, str]) -> str:
    """Which split a combination is kept for: ``"test"``, ``"validation"`` or ``""`` for none."""
    bucket = crc32(" ".join(combination).encode()) % BUCKETS
    return {0: "test", 1: "test", 2: "validation"}.get(bucket, "")


def sentences(seed: int, split: str, unseen: bool) -> Iterator[Sentence]:
    """Sentences without end for a split.

    Args:
        seed: what chance follows from.
        split: ``"train"``, ``"validation"`` or ``"test"``.
        unseen: whether each one holds a combination that is kept for the split (else it holds none
            that is kept for any).
    """
    rng = Random(f"{seed} {split} {unseen}")
    allowed = ("", split) if unseen else ("",)
    while True:
        try:
            rough = rough_sentence(rng, lambda combination: held_out(combination) not in allowed)
        except Refused:
            continue
        if not unseen or any(map(held_out, rough.draft.combinations)):
            yield finished(rough)


@contextmanager
def _no_collection() -> Iterator[None]:
    """No search for cycles meanwhile: nothing here makes any, and it takes a fifth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@_no_collection()
def make_builtin(
    *, pairs: int = 40_000, seed: int = 0, validation: int = 500, test: int = 1_000
) -> Corpus:
    """The built-in corpus.

    Args:
        pairs: number of training pairs.
        seed: another seed gives other sentences, of the same language.
        validation: number of validation pairs.
        test: number of test pairs.

    Raises:
        ValueError: a number is not positive.
    """
    for name, value in (("pairs", pairs), ("validation", validation), ("test", test)):
        if value < 1:
            raise ValueError(f"{name}={value} must be at least 1")
    taken: set[str] = set()
    train = _take(sentences(seed, "train", False), pairs, taken, None)
    counts = Counter(lexeme for sentence in train for lexeme in sentence.lexemes)
    held: dict[str, list[Pair]] = {}
    for split, number in (("validation", validation), ("test", test)):
        new = _take(sentences(seed, split, True), number - number // 2, taken, counts)
        old = _take(sentences(seed, split, False), number // 2, taken, counts)
        held[split] = [_pair(s, counts, True) for s in new] + [_pair(s, counts, False) for s in old]
        Random(f"{seed} {split}").shuffle(held[split])
    description = DESCRIPTION.format(
        train=len(train), seed=seed, **{k: len(v) for k, v in held.items()}
    )
    trained = [_pair(sentence, counts, False) for sentence in train]
    return Corpus("builtin", trained, held["validation"], held["test"], description)


def _take(
    stream: Iterator[Sentence], number: int, taken: set[str], known: Counter[str] | None
) -> list[Sentence]:
    """The first sentences of a stream whose English is new and whose lexemes are known.

    Fewer than asked for if the training set is too small to know the lexemes of that many.
    """
    found: list[Sentence] = []
    for tried, sentence in enumerate(stream):
        if sentence.english_text not in taken and (
            known is None or all(map(known.__contains__, sentence.lexemes))
        ):
            taken.add(sentence.english_text)
            found.append(sentence)
        if len(found) == number or (known is not None and tried > PATIENCE * number):
            break
    return found


def _pair(sentence: Sentence, counts: Counter[str], unseen: bool) -> Pair:
    """The sentence as a pair, with the marks that depend on the training set."""
    phenomena = set(sentence.phenomena)
    if unseen:
        phenomena.add("unseen")
    if min((counts[lexeme] for lexeme in sentence.lexemes), default=0) <= RARE:
        phenomena.add("rare-word")
    return Pair(
        sentence.english_text, sentence.french_text, sentence.alignment, frozenset(phenomena)
    )


def load_natural() -> tuple[Pair, ...]:
    """300 pairs of everyday language, written by hand: what the grammar does not know."""
    text = (
        files("transformer_lesson.translation").joinpath("natural.tsv").read_text(encoding="utf-8")
    )
    rows = [line.split("\t") for line in text.splitlines() if line]
    return tuple(Pair(english, french) for english, french in rows)
