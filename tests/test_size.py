"""How much Python there may be: the next feature makes room, by taking out what it replaces."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Lines of all tracked files below a folder, docstrings and blank lines among them.
MOST = {"": 70_700, "transformer_checks/": 17_460, "transformer_lesson/": 9_000}
MOST_OF_A_FILE = 400
# The views, which no lesson asks to read.
APART = "transformer_lesson/widgets/"


def lines() -> dict[str, int]:
    """The lines of each tracked file of Python."""
    listed = ["git", "ls-files", "*.py"]
    names = subprocess.check_output(listed, cwd=ROOT, text=True).splitlines()
    there = [name for name in names if (ROOT / name).exists()]
    return {name: (ROOT / name).read_text("utf-8").count("\n") for name in there}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what is tracked, only git knows")
@pytest.mark.parametrize("folder", MOST)
def test_there_is_no_more_than_can_be_read(folder: str) -> None:
    counted = {
        name: count
        for name, count in lines().items()
        if name.startswith(folder) and not (folder and name.startswith(APART))
    }
    assert sum(counted.values()) <= MOST[folder], "make room: take out what nobody needs"
    assert [name for name, count in counted.items() if count > MOST_OF_A_FILE] == []
