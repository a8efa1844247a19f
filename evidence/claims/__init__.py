"""All claims, in a folder for each lesson, with their words in its ``words.toml``.

The criterion of a claim is the text of the function that decides it. Where one function decides
several claims and the text is not that of all, it is among the words.
"""

import pkgutil
import tomllib
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

from evidence.claim import Claim


@cache
def claims() -> dict[str, Claim]:
    """Return every claim by name, in the order of lessons, each with its labs, and of names.

    Raises:
        ValueError: two claims have one name, or one has no words, words in two places or no
            criterion.
    """
    found: dict[str, Claim] = {}
    words: dict[str, dict[str, Any]] = {}
    for path in sorted(Path(__file__).parent.glob("*/words.toml")):
        words |= tomllib.loads(path.read_text(encoding="utf-8"))
    for part in pkgutil.walk_packages(__path__, f"{__name__}."):
        module = import_module(part.name)
        for name, claim in vars(module).items():
            if not isinstance(claim, Claim):
                continue
            if claim.name in found:
                raise ValueError(f"{part.name}: there is a claim {claim.name!r} already")
            if (claim.name in words) == bool(claim.says):
                raise ValueError(f"{claim.name}: its words belong into words.toml, and only there")
            own = name.replace("CLAIM", "decide").lower()
            decide = getattr(module, own, module.decide)
            said = {"criterion": " ".join((decide.__doc__ or "").split())} | words[claim.name]
            if not said["criterion"]:
                raise ValueError(f"{claim.name}: write its criterion as the docstring of {own}")
            found[claim.name] = replace(claim, measure=module.measure, decide=decide, **said)

    def place(claim: Claim) -> tuple[str, int, str]:
        path = PurePath(claim.lesson)
        return path.name[:2], len(path.parts), claim.name

    return {claim.name: claim for claim in sorted(found.values(), key=place)}
