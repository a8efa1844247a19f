"""Reasons why a finding is no hole, by lesson: ``reasons/NN_name.toml``."""

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from transformer_checks.catalogue import CHECKS

FOLDER = Path(__file__).parent / "reasons"


def reasons(audit: str, name: str) -> dict[str, str]:
    """Return the findings of an audit that are no holes of an exercise, each with its reason."""
    path = FOLDER / f"{CHECKS[name].lesson}.toml"
    return dict(_listed(path).get(audit, {}).get(name, {})) if path.exists() else {}


def unexplained(found: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the findings that have no reason, and the reasons for what is not found."""
    found, known = sorted(set(found)), list(known)
    new = [words for words in found if words not in known]
    return new + [
        f"a reason for what is not found: {words}" for words in known if words not in found
    ]


@cache
def _listed(path: Path) -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
