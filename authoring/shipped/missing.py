"""How often the translator names as missing what is there, and what it leaves out unnamed.

``python -m authoring.shipped.missing`` tries ``doubt.overlooked`` on three kinds of text. In
``data/missing.tsv`` a reader has judged what the shipped model wrote; the threshold and the light
words were chosen on the rows of one half, so the other tells more. Of pairs that people wrote, two
may differ by one English word alone: the French of the shorter one has nothing for this word. And a
translation that holds what the battery asks of it should have no word that is missing.
"""

import re
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import torch

from transformer_lesson.translation import battery
from transformer_lesson.translation.corpora import load_corpus
from transformer_lesson.translation.doubt import (
    DOUBTED,
    Calibration,
    has_own,
    overlooked,
    translate_in_doubt,
)
from transformer_lesson.translation.known_words import KnownWords
from transformer_lesson.translation.stand_ins import Draft
from transformer_lesson.translation.text_files import read_lines
from transformer_lesson.translation.translator import SHIPPED, Translator

DATA = Path(__file__).parent / "data" / "missing.tsv"


class Judged(NamedTuple):
    """A sentence, its French, the words that are missing there, and those that may be."""

    english: str
    french: str
    missing: frozenset[str] = frozenset()
    unclear: frozenset[str] = frozenset()


def judged() -> list[Judged]:
    """Return what a reader has judged."""
    rows = (line.split("\t") for line in read_lines(DATA) if not line.startswith("#"))
    return [Judged(e, f, *(frozenset(words.split()) for words in more)) for e, f, *more in rows]


def pairs_of_one_word(words: KnownWords) -> Iterator[Judged]:
    """Yield pairs of everyday sentences of which the English has one word more than its French."""
    corpus = load_corpus("everyday")
    pairs = [*corpus.train, *corpus.validation, *corpus.test]
    known = {tuple(re.findall(r"[\w']+", pair.english)): pair for pair in reversed(pairs)}
    for key, pair in known.items():
        for at, word in enumerate(key):
            shorter = known.get(key[:at] + key[at + 1 :])
            if at and shorter and len(key) > 3 and has_own(word, words):
                yield Judged(pair.english, shorter.french, frozenset({word}))


def counted(translator: Translator, rows: Sequence[Judged]) -> tuple[int, int, int]:
    """Return how many rows have a word named untruly, and how many words are found and missing."""
    drafts = [Draft(translator.read(row.english), [], row.french) for row in rows]
    named = [frozenset(overlooked(translator, draft)) for draft in drafts]
    both = list(zip(rows, named, strict=True))
    untrue = sum(bool(some - row.missing - row.unclear) for row, some in both)
    found = sum(len(some & row.missing) for row, some in both)
    return untrue, found, sum(len(row.missing) for row in rows)


def report_battery(translator: Translator) -> None:
    """Print how many right and how many wrong translations have words that are named."""
    calibration, told = Calibration.load(SHIPPED), {True: Counter[str](), False: Counter[str]()}
    for english, patterns in chain(*battery.load().values()):
        french, words, missing = translate_in_doubt(translator, calibration, english)
        least = min((share for _, share in words), default=1)
        named = {"all": True, "missing": bool(missing)}
        named |= {f"doubted below {most}": least < most for most in (DOUBTED, 0.5)}
        told[battery.holds(english, french, patterns)].update(n for n, ok in named.items() if ok)
    for right, counts in told.items():
        print(f"battery, {'right' if right else 'wrong'}: {dict(counts)}")


def main() -> None:
    """Report on each kind of text."""
    ArgumentParser("python -m authoring.shipped.missing", description=__doc__).parse_args()
    torch.set_num_threads(1)
    translator = Translator.shipped()
    rows = judged()
    for name, half in {"that of the choice": rows[::2], "the other": rows[1::2]}.items():
        untrue, found, every = counted(translator, half)
        said = f"untrue in {untrue} of {len(half)} sentences, found {found} of {every}"
        print(f"judged, of two halves {name}: {said}")
    pairs = list(pairs_of_one_word(translator.vocabulary.words or KnownWords(())))[::3]
    print(f"pairs of one word: found {counted(translator, pairs)[1]} of {len(pairs)}")
    report_battery(translator)


if __name__ == "__main__":
    main()
