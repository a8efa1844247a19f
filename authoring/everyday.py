"""Make the corpus of everyday sentences again, from raw pairs of the Tatoeba project.

``python -m authoring.everyday FOLDER`` reads ``train``, ``valid`` and ``test`` from the folder,
each as the line-aligned files ``.en.gz`` and ``.fr.gz``, and writes the files of
``transformer_lesson/translation/data/everyday`` whose text has changed, in some 15 seconds. With
``--check`` it writes nothing and exits with 1 if one would change.

What is done with the pairs:

1. Quotation marks, apostrophes, hyphens and spaces are written in one way, in French with a space
   before ``? ! : ;``. A pair is left out if it holds rare characters, such as Cyrillic letters, or
   if either side does not begin with a capital and end with a mark.
2. An English sentence stands once in the corpus, whatever its case, spaces and punctuation. One
   that stands in several splits stays in the test, else in validation. The English sentences of
   the 300 hand-written pairs are left out, so that these are a test of this corpus too.
3. Of several translations of a training sentence the one whose rarest word is commonest is kept:
   spelling mistakes and other languages are rare, and a model that gives one answer learns most
   from the usual one.
4. Training is sorted by `level`. Pairs up to level 1 are marked ``"short"``.
"""

import argparse
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from authoring.shipped import rows, update
from transformer_lesson.translation.builtin import load_natural
from transformer_lesson.translation.everyday import COMMON_WORDS, DATA, SHORT_WORDS
from transformer_lesson.translation.parallel_text import Pair
from transformer_lesson.translation.text_files import read_pairs
from transformer_lesson.translation.words import words

_SAME = str.maketrans("\u2019\u2018\u2010\u2013\u00a0\u202f", "''--  ", "\u00ad\u200b")
_UNUSUAL = re.compile(r"[^A-Za-zÀÂÇÈÉÊËÎÏÔÙÛàâæçèéêëîïôùûœŒ\d .,?!:;'\"«»%$€/()+&-]")
_ITALIAN = {"Feci un incidente."}  # the one that ordinary characters did not give away
_SENTENCE = re.compile(r"[\"« ]*[A-ZÀ-ÝŒ\d].*[.?!][\"» )]*")


def normalized(text: str, language: str) -> str:
    """Return a sentence with its quotation marks, apostrophes, hyphens and spaces in one style.

    Args:
        text: a sentence.
        language: ``"en"`` or ``"fr"``; French has a space before ``? ! : ;`` and inside ``« »``.
    """
    text = unicodedata.normalize("NFC", text).translate(_SAME).replace("…", "...")
    if language == "fr":
        text = re.sub(r"«\s*", "« ", text)
        text = re.sub(r"\s*»", " »", text)
        text = re.sub(r"\s*([?!:;]+)(?!\d)", r" \1", text)  # not in 8:40
        text = re.sub(r"([\"«]) (?=[?!])", r"\1", text)
    return re.sub(r"\s+([.,])", r"\1", " ".join(text.split()))


def is_clean(sentence: str) -> bool:
    """Whether a text is in ordinary characters, from a capital or a digit to a closing mark."""
    return _SENTENCE.fullmatch(sentence) is not None and _UNUSUAL.search(sentence) is None


def key(sentence: str) -> str:
    """Return what makes a sentence itself: its letters and digits, whatever their case."""
    return re.sub(r"[\W_]", "", sentence.casefold())


def english_words(sentence: str) -> list[str]:
    """Return the words in lower case, without punctuation; *don't* and *Tom's* are one each."""
    return re.findall(r"\w+(?:['-]\w+)*", sentence.lower())


def french_words(sentence: str) -> list[str]:
    """Return the words in lower case, without punctuation, divided as ``words`` does."""
    return [word for word in words(sentence.lower(), "fr") if word[-1].isalnum() or word[-1] == "'"]


def ranks(texts: Iterable[Sequence[str]]) -> dict[str, int]:
    """Return the place of each word from the commonest, 1, to the rarest."""
    counts = Counter(word for text in texts for word in text)
    return {
        word: place for place, word in enumerate(sorted(counts, key=lambda w: (-counts[w], w)), 1)
    }


def level(sentence: str, rank: Mapping[str, int]) -> tuple[float, float]:
    """Return how hard an English sentence is, by its length and by its rarest word.

    At level 1 are sentences of 8 words, or with the 2,000th of the commonest words, whichever is
    harder; at level ½ it is 4 words, or the 1,000th. The easier of the two decides between equals.

    Args:
        sentence: which has a word.
        rank: see `ranks`.
    """
    found = english_words(sentence)
    rarest = max(rank.get(word, len(rank) + 1) for word in found)
    length, rarity = len(found) / SHORT_WORDS, rarest / COMMON_WORDS
    return max(length, rarity), min(length, rarity)


def splits(raw: Mapping[str, Sequence[Pair]]) -> dict[str, list[Pair]]:
    """Return the corpus: what is described above, as ``train``, ``validation`` and ``test``.

    Args:
        raw: the pairs as they come.
    """
    clean = {name: list(_clean(pairs)) for name, pairs in raw.items()}
    used = {key(pair.english) for pair in load_natural()}
    held: dict[str, list[Pair]] = {}
    for name in ("test", "validation", "train"):
        groups = defaultdict(list)
        for pair in clean[name]:
            if key(pair.english) not in used:
                groups[key(pair.english)].append(pair)
        used.update(groups)
        held[name] = list(_usual(groups.values()))
    rank = ranks(english_words(pair.english) for pair in held["train"])
    held["train"].sort(key=lambda pair: (level(pair.english, rank), pair.english))
    return {name: [_marked(pair, rank) for pair in pairs] for name, pairs in held.items()}


def _clean(pairs: Iterable[Pair]) -> Iterator[Pair]:
    for pair in pairs:
        english, french = normalized(pair.english, "en"), normalized(pair.french, "fr")
        if is_clean(english) and is_clean(french) and french not in _ITALIAN:
            yield Pair(english, french)


def _usual(groups: Iterable[Sequence[Pair]]) -> Iterator[Pair]:
    """Yield from each group the pair whose rarest French word is commonest.

    The next rarest word decides between equals, then the order of the pairs.
    """
    groups = list(groups)
    rank = ranks(french_words(pair.french) for group in groups for pair in group)
    for group in groups:
        yield min(
            group,
            key=lambda pair: sorted((rank[w] for w in french_words(pair.french)), reverse=True),
        )


def _marked(pair: Pair, rank: Mapping[str, int]) -> Pair:
    short = level(pair.english, rank)[0] <= 1
    return Pair(pair.english, pair.french, phenomena=frozenset(["short"] if short else []))


def files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file."""
    raw = {
        name: read_pairs((folder / f"{stem}.en.gz", folder / f"{stem}.fr.gz"))
        for name, stem in (("train", "train"), ("validation", "valid"), ("test", "test"))
    }
    for name, pairs in splits(raw).items():
        yield f"{name}.tsv", rows((p.english, p.french, *p.phenomena) for p in pairs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or compare them; return 1 if a comparison finds a difference."""
    parser = argparse.ArgumentParser(
        prog="python -m authoring.everyday",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="holds the raw pairs")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args(arguments)
    return int(update(DATA, files(options.folder), check=options.check) and options.check)


if __name__ == "__main__":
    sys.exit(main())
