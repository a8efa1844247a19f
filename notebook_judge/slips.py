"""The slips of an exercise, from the data beside it.

``self_attention/softmax.toml`` holds those of ``attention.softmax`` in the order in which they are
tried, each below its name: ``edits``, pairs of a text of the solution and what is typed instead,
and the words ``says`` and ``lead``. One without words has those of the family of its name.
"""

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from notebook_judge.checks.exercise import Slip

Families = Mapping[str, Mapping[str, str]]
_WORDS = ("says", "lead")
_KEYS = ("edits", *_WORDS)


def families(folder: Path) -> Families:
    """Return the words of slips that several exercises of a catalogue know, by the slip's name."""
    path = folder / "families.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def read(path: Path, families: Families) -> tuple[Slip, ...]:
    """Return the slips that a file holds, in its order.

    Args:
        path: the file.
        families: see ``families``.

    Raises:
        ValueError: there is no such file, it is no TOML, or one of its slips is not written as
            above; the message names the file, the slip and what is expected.
    """
    place = "/".join(path.parts[-2:])
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{place} is missing, which holds the slips{_strays(path)}.") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{place} is no TOML: {error}.") from None
    slips = []
    for name, table in tables.items():
        if wrong := _wrong(name, table, families):
            raise ValueError(f"{place}, slip {name!r}: {wrong}")
        words = table if "says" in table else families[name]
        slips.append(Slip(name, dict(table["edits"]), *(words[word] for word in _WORDS)))
    return tuple(slips)


def _strays(path: Path) -> str:
    """The files beside it that belong to no exercise: one of them may have a wrong name."""
    there = sorted(path.parent.glob("*.toml"))
    strays = [one.name for one in there if not one.with_suffix(".py").exists()]
    return f"; of no exercise: {', '.join(strays)}" if strays else ""


def _wrong(name: str, table: Any, families: Families) -> str:
    """What is wrong with a slip, and what is expected; empty if nothing is."""
    if not isinstance(table, dict):
        return f"it is a table, below a line [{name!r}]."
    if unknown := table.keys() - set(_KEYS):
        return f"unknown key {min(unknown)!r}; it may have {', '.join(_KEYS)}."
    if not _are_edits(table.get("edits")):
        return (
            "edits must be a list of pairs ['text of the solution', 'what is typed instead'], at "
            "least one, each of another text."
        )
    given = [word for word in _WORDS if word in table]
    if len(given) == 1 or not all(isinstance(table[word], str) for word in given):
        return "says and lead are two strings: give both, or neither for the words of a family."
    if not given and name not in families:
        near = get_close_matches(name, families, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return f"no family in families.toml has this name, so it needs says and lead.{hint}"
    return ""


def _are_edits(edits: Any) -> bool:
    if not isinstance(edits, list) or not edits:
        return False
    pairs = [edit for edit in edits if isinstance(edit, list) and len(edit) == 2]
    texts = all(isinstance(text, str) for pair in pairs for text in pair)
    return len(pairs) == len(edits) and texts and len({old for old, _ in pairs}) == len(edits)
