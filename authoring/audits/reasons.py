"""Reasons why a finding is no hole, by lesson: ``reasons/NN_name.toml``."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from transformer_checks.catalogue import CHECKS

FOLDER = Path(__file__).parent / "reasons"
CHANCE = "by chance"


def reasons(audit: str, name: str) -> dict[str, str]:
    """Return the findings of an audit that are no holes of an exercise, each with its reason."""
    path = FOLDER / f"{CHECKS[name].lesson}.toml"
    return dict(_listed(path).get(audit, {}).get(name, {})) if path.exists() else {}


def unexplained(found: Iterable[str], known: Mapping[str, str]) -> list[str]:
    """Return the findings that have no reason, and the reasons for what is not found.

    What hangs on memory that nobody wrote may be found or not: its reason begins with "by chance".
    A reason for what ends in " *" is one for all that begins so.
    """
    found = set(found)
    of = {words: {one for one in found if _is(one, words)} for words in known}
    stale = [
        f"a reason for what is not found: {words}"
        for words, reason in sorted(known.items())
        if not of[words] and not reason.startswith(CHANCE)
    ]
    return sorted(found.difference(*of.values())) + stale


def _is(found: str, words: str) -> bool:
    return found == words or (words.endswith(" *") and found.startswith(words[:-1]))


@cache
def _listed(path: Path) -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
