"""What people type: sentences by kind, each with what must be true of its translation.

``data/battery.tsv`` names a kind after ``#``; below it stand English sentences, a tab, and patterns
that the French must contain, case aside, joined by ``&``; one after ``!`` it must not contain.
``@not`` stands for a negation.
"""

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from transformer_lesson.translation.text_files import read_lines

if TYPE_CHECKING:
    from transformer_lesson.translation.translator import Translator

DATA = Path(__file__).parent / "data" / "battery.tsv"
Tried = tuple[str, str, bool]
_NOT = r"\b(ne|n'\w+|non|pas|jamais|rien|personne|aucune?|ni|sans)\b"


def load(path: Path = DATA) -> dict[str, list[tuple[str, list[str]]]]:
    """Return for each kind its sentences, each with its patterns."""
    kinds: dict[str, list[tuple[str, list[str]]]] = {}
    for line in read_lines(path):
        if line.startswith("# "):
            rows = kinds[line[2:]] = []
        elif line and not line.startswith("#"):
            english, patterns = line.split("\t")
            rows.append((english, patterns.replace("@not", _NOT).split(" & ")))
    return kinds


def holds(english: str, french: str, patterns: list[str]) -> bool:
    """Whether the French has all that it must have, and no word thrice that the English has not."""
    plain = french.replace("\u2019", "'").replace("\u00a0", " ").replace("\u202f", " ")
    found = all(
        bool(re.search(pattern.removeprefix("!"), plain, re.IGNORECASE)) != (pattern[0] == "!")
        for pattern in patterns
    )
    said, heard = (Counter(re.findall(r"\w{4,}", t.casefold())) for t in (plain, english))
    return found and max(said.values(), default=0) <= max([2, *heard.values()])


def tried(
    translator: "Translator", path: Path = DATA, widths: tuple[int, ...] = (1, 4)
) -> dict[int, dict[str, list[Tried]]]:
    """Translate all sentences of a file, greedily and by beam search.

    Returns:
        For each width of the beam, by kind, (English, French, whether it holds).
    """
    found: dict[int, dict[str, list[Tried]]] = {width: {} for width in widths}
    for width in widths:
        for kind, rows in load(path).items():
            texts = translator.translate([english for english, _ in rows], beam_width=width)
            both = zip(rows, texts, strict=True)
            found[width][kind] = [(e, french, holds(e, french, p)) for (e, p), french in both]
    return found


def shares(rows: dict[str, list[Tried]]) -> dict[str, float]:
    """Return the share that holds, in percent, of each kind of one width in `tried`."""
    return {kind: 100 * sum(ok for *_, ok in some) / len(some) for kind, some in rows.items()}


def failures(rows: dict[str, list[Tried]]) -> dict[str, list[tuple[str, str]]]:
    """Return what does not hold of each kind, (English, French), of the kinds that have such."""
    fails = {kind: [(e, f) for e, f, ok in some if not ok] for kind, some in rows.items()}
    return {kind: some for kind, some in fails.items() if some}
