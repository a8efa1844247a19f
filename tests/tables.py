"""Tables of what nobody should write, each line with the words of its error."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def refused(name: str) -> list[Any]:
    """The kind of error, what is written and the error's words, of each line of a file here."""
    kind, found = "", []
    for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines():
        if line.endswith("Error:"):
            kind = line.removesuffix(":")
        elif line and not line.startswith("#"):
            found.append(pytest.param(kind, *line.split(" -> "), id=line))
    return found


def refuses(kind: str, act: Callable[[], object], words: str) -> None:
    """``act`` raises an error of exactly this kind, with these words ("…": some more)."""
    pattern = ".*".join(map(re.escape, words.split("…")))
    with pytest.raises(Exception, match=f"(?s){pattern}") as caught:
        act()
    assert caught.type.__name__ == kind
