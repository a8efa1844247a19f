"""Lab 01: are the pieces that byte-pair encoding learns stems and endings?"""

import random
import re
from functools import cache

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson.translation.corpora import load_corpus

CLEAN, BEFORE = "stem + ending and no other cut", "a cut before the ending"
PIECES, FORMS = "pieces a form", "new forms"
LESSON, SMALLER, LARGER = "4,096 entries", "1,024 entries", "16,384 entries"
RANDOM, WHOLE = "cut at random", "the longest known word or ending first"
ENDINGS = ("ing", "ed", "er", "ly", "s")
WORD = re.compile(r"\b[a-z]+\b")


@cache
def sentences() -> tuple[str, ...]:
    """The English training sentences of the everyday corpus."""
    return tuple(pair.english for pair in load_corpus("everyday").train)


def measure(seed: int, entries: int, way: str = "as it is") -> Numbers:
    """Learn from a random half of the sentences; cut the forms that only the other half has."""
    source = random.Random(seed)
    drawn = source.sample(sentences(), len(sentences()))
    half, rest = drawn[: len(drawn) // 2], drawn[len(drawn) // 2 :]
    seen = set(WORD.findall(" ".join(half)))
    new = sorted(set(WORD.findall(" ".join(rest))) - seen)
    forms = [(word, split) for word in new if (split := _stem(word, seen))]
    tokenizer = _learn(half, entries)
    clean = before = pieces = 0
    for word, stem in forms:
        # The space before a word belongs to its first piece.
        cuts = {start - 1 for start, _ in tokenizer.encode(f" {word}").offsets} - {-1, 0}
        if way == RANDOM:
            cuts = set(source.sample(range(1, len(word)), len(cuts)))
        if way == WHOLE:
            cuts = _longest_first(word, {*seen, *ENDINGS})
        clean += cuts == {stem}
        before += stem in cuts
        pieces += len(cuts) + 1
    shares = {CLEAN: clean, BEFORE: before, PIECES: pieces}
    return {**{name: n / len(forms) for name, n in shares.items()}, FORMS: len(forms)}


def _stem(word: str, seen: set[str]) -> int:
    """Length of the stem, a known word of three letters or more, before an ending; 0 if none."""
    for ending in ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= 3 and stem in seen:
            return len(stem)
    return 0


def _learn(lines: list[str], entries: int) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=entries,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


def _longest_first(word: str, pieces: set[str]) -> set[int]:
    """The cuts of a word, none of which stands in ``pieces`` whole."""
    cuts, at = set(), 0
    while at < len(word):
        ends = range(len(word), at, -1)
        at = next((end for end in ends if word[at:end] in pieces), at + 1)
        cuts.add(at)
    return cuts - {len(word)}


def decide(runs: Runs) -> Verdict:
    """True if in all 10 samples of the text more than half of the new forms are cut into stem and
    ending and nothing else, false if in none.
    """
    clean = runs.values(LESSON, CLEAN)
    numbers = (
        f"{min(clean):.0%} to {max(clean):.0%} of the new forms are cut into stem and ending and "
        f"nothing else ({runs.median(RANDOM, CLEAN):.0%} with as many cuts at random); "
        f"{runs.median(LESSON, BEFORE):.0%} have a cut before the ending, whatever else is cut "
        f"({runs.median(RANDOM, BEFORE):.0%})."
    )
    return Verdict.of(numbers, true=min(clean) > 0.5, false=max(clean) <= 0.5)


CLAIM = Claim(
    name="tokens.stems",
    lesson="labs/01_counting",
    conditions=(
        Condition(LESSON, {"entries": 4096}),
        Condition(SMALLER, {"entries": 1024}, "control"),
        Condition(LARGER, {"entries": 16384}, "longer"),
        Condition(WHOLE, {"entries": 4096, "way": WHOLE}, "ideal"),
        Condition(RANDOM, {"entries": 4096, "way": RANDOM}, "chance"),
    ),
    metric=CLEAN,
    label="share of new forms cut into stem and ending alone",
    along="entries",
    axis="entries of the vocabulary",
)
