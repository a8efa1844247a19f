"""Parallel text: sentences with their translations, in three splits."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """An English sentence with its French translation.

    Attributes:
        english: detokenized text.
        french: detokenized text.
        alignment: pairs (index of an English word, index of a French word), sorted, over the words
            that `words.words` gives; None where nobody knows them.
        phenomena: what the pair shows, e.g. ``"negation"`` in the built-in validation and test
            pairs, or ``"short"`` in the everyday ones.
    """

    english: str
    french: str
    alignment: tuple[tuple[int, int], ...] | None = None
    phenomena: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Corpus:
    """Pairs to train on, to choose settings by, and to report on.

    Attributes:
        name: the name that `load_corpus` takes.
        train: pairs to train on.
        validation: pairs to choose settings by.
        test: pairs to report on, which decide nothing.
        description: what the text is, where it comes from and what was left out.
    """

    name: str
    train: Sequence[Pair]
    validation: Sequence[Pair]
    test: Sequence[Pair]
    description: str
