"""Everyday sentences that people wrote and translated for Tatoeba, shipped as text.

``data/everyday/README.md`` names the license and the source, and says what was left out and why.
"""

from pathlib import Path

from transformer_lesson.translation.parallel_text import Corpus, Pair
from transformer_lesson.translation.text_files import read_lines

DATA = Path(__file__).parent / "data" / "everyday"
SHORT_WORDS, COMMON_WORDS = 8, 2_000
PAIRS, SHORT_PAIRS = 95_395, 55_293

_DESCRIPTION = (
    "{train:,} pairs of everyday sentences from Tatoeba (https://tatoeba.org, CC BY 2.0 FR), "
    f"{SHORT_PAIRS:,} of them short: at most {SHORT_WORDS} English words, all among the "
    f"{COMMON_WORDS:,} commonest. "
    "Beside them are {validation:,} pairs for validation and {test:,} for the test. No English "
    "sentence stands twice, and none is among the 300 natural pairs."
)


def load_everyday(*, pairs: int = PAIRS) -> Corpus:
    """Load the corpus of everyday sentences.

    Training begins with short sentences of common words. The first 55,293 pairs (`SHORT_PAIRS`)
    have ``"short"`` among their phenomena: at most 8 English words, all among the 2,000 commonest
    of the training text. Validation and test do not depend on ``pairs``. They hold sentences of all
    kinds, in no order, with the short ones marked likewise, so that a model can be scored on the
    whole test and on its short part::

        short = [pair for pair in corpus.test if "short" in pair.phenomena]

    Args:
        pairs: number of training pairs; the easiest come first, by length and by rarest word.

    Raises:
        ValueError: ``pairs`` is below 1 or above 95,395.
    """
    if not 1 <= pairs <= PAIRS:
        raise ValueError(
            f"pairs={pairs} must be from 1 to {PAIRS}, the number of everyday training pairs."
        )
    train, validation, test = map(_read, ("train", "validation", "test"))
    description = _DESCRIPTION.format(train=len(train), validation=len(validation), test=len(test))
    if pairs < len(train):
        description += f" Only the {pairs:,} easiest training pairs are used here."
    return Corpus("everyday", train[:pairs], validation, test, description)


def _read(split: str) -> list[Pair]:
    """Return the pairs of a split; a third column marks the short ones."""
    short, other = frozenset({"short"}), frozenset[str]()
    rows = (line.split("\t") for line in read_lines(DATA / f"{split}.tsv.gz"))
    return [Pair(row[0], row[1], phenomena=short if row[2:] else other) for row in rows]
