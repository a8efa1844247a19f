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
    """
    found = set(found)
    expected = {words for words, reason in known.items() if not reason.startswith(CHANCE)}
    stale = [f"a reason for what is not found: {words}" for words in sorted(expected - found)]
    return sorted(found - known.keys()) + stale


@cache
def _listed(path: Path) -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
