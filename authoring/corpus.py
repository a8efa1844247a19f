"""Make the built-in corpus again: the files that the package ships, drawn from the grammar.

``python -m authoring.corpus`` draws every sentence, in some 20 seconds, and writes the files whose
text has changed. With ``--check`` it writes nothing and exits with 1 if one would change.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from authoring.grammar.splits import draw_splits, sentences, without_collection
from authoring.shipped import rows, update
from transformer_lesson.translation.builtin import DATA
from transformer_lesson.translation.corpora import Pair
from transformer_lesson.translation.words import words

SEED, SEED_OF_MORE = 0, 1
# Lesson 10 chooses sentences with rare words from these, and takes others as they come.
DRAWN, AS_THEY_COME, LONGEST, RARE = 60_000, 10_000, 16, 25


def files() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file."""
    splits = draw_splits(SEED)
    yield "train.tsv", rows((pair.english, pair.french) for pair in splits["train"])
    for name in ("validation", "test"):
        yield f"{name}.tsv", rows(map(annotated, splits[name]))
    yield "more.tsv", rows((pair.english, pair.french) for pair in more(splits["train"]))


def annotated(pair: Pair) -> tuple[str, str, str, str]:
    """Return a pair with its alignment as ``0-0 1-2`` and its phenomena, as columns."""
    links = " ".join(f"{i}-{j}" for i, j in pair.alignment or ())
    return pair.english, pair.french, links, " ".join(sorted(pair.phenomena))


@without_collection()
def more(train: Iterable[Pair]) -> list[Pair]:
    """Draw new sentences that are not too long: the first as they come, then those with rare words.

    Args:
        train: the training pairs, in which rare words are counted.
    """
    seen = Counter(word for pair in train for word in words(pair.english, "en"))
    rare = {word for word, count in seen.items() if count <= RARE}
    return [
        Pair(sentence.english_text, sentence.french_text)
        for number, sentence in enumerate(islice(sentences(SEED_OF_MORE, "train", False), DRAWN))
        if len(sentence.english) <= LONGEST
        and (number < AS_THEY_COME or not rare.isdisjoint(sentence.english))
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or compare them; return 1 if a comparison finds a difference."""
    parser = argparse.ArgumentParser(prog="python -m authoring.corpus", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args(arguments).check
    return int(update(DATA, files(), check=check) and check)


if __name__ == "__main__":
    sys.exit(main())
