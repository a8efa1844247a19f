"""Parallel text to train on, by name."""

from collections.abc import Callable

from transformer_lesson.translation.builtin import load_builtin, load_more, load_natural
from transformer_lesson.translation.everyday import load_everyday
from transformer_lesson.translation.parallel_text import Corpus, Pair
from transformer_lesson.translation.text_files import load_files
from transformer_lesson.translation.wmt14 import load_wmt14

__all__ = ["CORPORA", "Corpus", "Pair", "load_corpus", "load_more", "load_natural"]

CORPORA: dict[str, Callable[..., Corpus]] = {
    "builtin": load_builtin,
    "everyday": load_everyday,
    "files": load_files,
    "wmt14": load_wmt14,
}


def load_corpus(name: str, **options: object) -> Corpus:
    """Load the corpus of that name.

    ``options`` are the arguments of the function that loads it, which `CORPORA` names:
    ``"builtin"`` is made by a grammar, ``"everyday"`` holds sentences that people wrote, both
    shipped with the package; ``"files"`` are your own; ``"wmt14"`` comes from the internet.

    Raises:
        ValueError: there is no such corpus.
        TypeError: the corpus has no such option.
    """
    if name not in CORPORA:
        names = ", ".join(repr(known) for known in CORPORA)
        raise ValueError(f"there is no corpus {name!r}; there are {names}")
    return CORPORA[name](**options)
