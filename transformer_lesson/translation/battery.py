"""What people type: 300 sentences of ten kinds, each with what must be true of its translation.

``data/battery.tsv`` names a kind after ``#``; below it stand English sentences, a tab, and patterns
that the French must contain, case aside, joined by ``&``; ``@not`` stands for a negation.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Any

from transformer_lesson.translation.text_files import read_lines
from transformer_lesson.translation.translator import Translator

DATA = Path(__file__).parent / "data" / "battery.tsv"
_NOT = r"\b(ne|n'\w+|non|pas|jamais|rien|personne|aucune?|ni|sans)\b"


def load() -> dict[str, list[tuple[str, list[str]]]]:
    """Return for each kind its sentences, each with its patterns."""
    kinds: dict[str, list[tuple[str, list[str]]]] = {}
    for line in read_lines(DATA):
        if line.startswith("# "):
            rows = kinds[line[2:]] = []
        else:
            english, patterns = line.split("\t")
            rows.append((english, patterns.replace("@not", _NOT).split(" & ")))
    return kinds


def holds(english: str, french: str, patterns: list[str]) -> bool:
    """Whether the French has all that it must have, and no word thrice that the English has not."""
    plain = french.replace("\u2019", "'").replace("\u00a0", " ").replace("\u202f", " ")
    found = all(re.search(pattern, plain, re.IGNORECASE) for pattern in patterns)
    said, heard = (Counter(re.findall(r"\w{4,}", t.casefold())) for t in (plain, english))
    return found and max(said.values(), default=0) <= max([2, *heard.values()])


def passed(translator: Translator, **search: Any) -> dict[str, list[tuple[str, str, bool]]]:
    """Translate all sentences; return for each kind (English, French, whether it holds)."""
    found = {}
    for kind, rows in load().items():
        texts = translator.translate([english for english, _ in rows], **search)
        found[kind] = [(e, f, holds(e, f, p)) for (e, p), f in zip(rows, texts, strict=True)]
    return found


def shares(found: dict[str, list[tuple[str, str, bool]]]) -> dict[str, float]:
    """Return the share that holds, in percent, of each kind in what ``passed`` returns."""
    return {kind: 100 * sum(ok for *_, ok in rows) / len(rows) for kind, rows in found.items()}
