"""Which sentences training may show, and which are kept for validation and the test.

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
from random import Random
from zlib import crc32

from authoring.grammar.draft import Refused
from authoring.grammar.sentences import Sentence, finished, rough_sentence
from transformer_lesson.translation.corpora import Pair

BUCKETS = 30
RARE = 20
PATIENCE = 200


@cache
def held_out(combination: tuple[str, str, str]) -> str:
    """Return the split a combination is kept for, ``"test"`` or ``"validation"``, or ``""``."""
    bucket = crc32(" ".join(combination).encode()) % BUCKETS
    return {0: "test", 1: "test", 2: "validation"}.get(bucket, "")


def sentences(seed: int, split: str, unseen: bool) -> Iterator[Sentence]:
    """Draw sentences for a split, without end.

    Args:
        seed: decides all that is left to chance.
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
def without_collection() -> Iterator[None]:
    """Stop the garbage collector: sentences hold no cycles, and it takes a fifth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@without_collection()
def draw_splits(
    seed: int, *, train: int = 40_000, validation: int = 500, test: int = 1_000
) -> dict[str, list[Pair]]:
    """Draw the three splits: no English sentence stands in them twice.

    Args:
        seed: another seed gives other sentences, of the same language.
        train: number of training pairs.
        validation: number of validation pairs; fewer if the training set is too small to hold the
            lexemes of that many.
        test: number of test pairs; likewise.

    Returns:
        The pairs of ``"train"``, ``"validation"`` and ``"test"``.
    """
    taken: set[str] = set()
    trained = _take(sentences(seed, "train", False), train, taken, None)
    counts = Counter(lexeme for sentence in trained for lexeme in sentence.lexemes)
    splits = {"train": [_pair(sentence, counts, False) for sentence in trained]}
    for split, number in (("validation", validation), ("test", test)):
        new = _take(sentences(seed, split, True), number - number // 2, taken, counts)
        old = _take(sentences(seed, split, False), number // 2, taken, counts)
        pairs = [_pair(s, counts, True) for s in new] + [_pair(s, counts, False) for s in old]
        Random(f"{seed} {split}").shuffle(pairs)
        splits[split] = pairs
    return splits


def _take(
    stream: Iterator[Sentence], number: int, taken: set[str], known: Counter[str] | None
) -> list[Sentence]:
    """Return the first sentences of a stream whose English is new and whose lexemes are known."""
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
    """Return the sentence as a pair, with the marks that depend on the training set."""
    phenomena = set(sentence.phenomena)
    if unseen:
        phenomena.add("unseen")
    if min((counts[lexeme] for lexeme in sentence.lexemes), default=0) <= RARE:
        phenomena.add("rare-word")
    return Pair(
        sentence.english_text, sentence.french_text, sentence.alignment, frozenset(phenomena)
    )
