"""Reasons why a finding is no hole, beside each lesson's exercises: ``reviewed/NN_name.toml``."""

import tomllib
from functools import cache
from pathlib import Path

from transformer_checks.catalogue import CHECKS

REVIEWED = Path(__file__).parent / "reviewed"


def reasons(audit: str, name: str) -> dict[str, str]:
    """Return the findings of an audit that are no holes of an exercise, each with its reason."""
    path = REVIEWED / f"{CHECKS[name].lesson}.toml"
    return dict(_listed(path).get(audit, {}).get(name, {})) if path.exists() else {}


@cache
def _listed(path: Path) -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
