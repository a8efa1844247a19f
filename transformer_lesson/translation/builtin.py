"""The built-in corpus, drawn from a grammar and shipped as text.

Some combinations of two words (an adjective with its noun, a noun with the verb it is the subject
or the object of) are kept out of training. Half of the validation and test pairs, marked
``"unseen"``, hold at least one of them.

``data/README.md`` describes the language, and names the commit that holds the grammar.
"""

from pathlib import Path

from transformer_lesson.translation.parallel_text import Corpus, Pair
from transformer_lesson.translation.text_files import read_lines, read_pairs

DATA = Path(__file__).parent / "data"
PAIRS = 40_000

_DESCRIPTION = (
    "{train:,} pairs made by the course's grammar (seed 0), beside {validation:,} for "
    "validation and {test:,} for the test. Half of these hold a combination of two words "
    "(adjective and noun, subject and verb, verb and object) that training never shows; all of "
    "their words are in training, if not in every form. The language is correct but small: it has "
    "no world behind it, no texts, no idioms."
)


def load_builtin(*, pairs: int = PAIRS) -> Corpus:
    """Load the built-in corpus.

    Validation and test do not depend on ``pairs``. Only theirs have an alignment and phenomena.

    Args:
        pairs: number of training pairs, taken from the front.

    Raises:
        ValueError: ``pairs`` is below 1 or above 40,000.
    """
    if not 1 <= pairs <= PAIRS:
        raise ValueError(
            f"pairs={pairs} must be from 1 to {PAIRS}, the number of built-in training pairs."
        )
    train = read_pairs(DATA / "train.tsv.gz")
    validation, test = _annotated("validation"), _annotated("test")
    description = _DESCRIPTION.format(train=len(train), validation=len(validation), test=len(test))
    if pairs < len(train):
        description += f" Only the first {pairs:,} are used here, which lack some of the words."
    return Corpus("builtin", train[:pairs], validation, test, description)


def _annotated(split: str) -> list[Pair]:
    """Return the pairs of a split with alignment (``0-0 1-2``) and phenomena."""
    pairs = []
    for line in read_lines(DATA / f"{split}.tsv.gz"):
        english, french, alignment, phenomena = line.split("\t")
        links = (link.split("-") for link in alignment.split())
        places = tuple((int(i), int(j)) for i, j in links)
        pairs.append(Pair(english, french, places, frozenset(phenomena.split())))
    return pairs


def load_more() -> list[Pair]:
    """Load further pairs of the same language, to train on.

    They were chosen from 60,000 new sentences: all of the first 10,000, and of the others those
    with an English word that stands in training at most 25 times. Longer ones than 16 English words
    were left out.
    """
    return read_pairs(DATA / "more.tsv.gz")


def load_natural() -> list[Pair]:
    """Load 300 pairs of everyday language, written by hand: what the grammar does not know."""
    return read_pairs(DATA / "natural.tsv")
