"""What is written by hand is weighed, all of it, and no room grows without a word."""

import pytest

from authoring import weight
from authoring.environment import ROOT
from tests.fixtures import Capture

# A clone has its history; an archive does not say which files are the course's.
in_a_clone = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only git knows what is kept")
CHANGES = """
- A room may weigh, in kB: `tests/grading` 1,200, for the forged replies.
- Text is weighed: it may weigh, in kB: `tests` 1, `tests/grading` 2, all else 3.
"""


@in_a_clone
def test_no_room_weighs_more_than_the_changelog_says(capsys: Capture) -> None:
    failed = weight.main()
    shown = capsys.readouterr().out
    print(shown)  # the table, for `pytest -rP`
    assert not failed, shown


def test_the_topmost_limit_of_a_room_counts_and_no_room_is_free() -> None:
    rooms = weight.limits(CHANGES)
    assert rooms == {"tests/grading": 1200, "tests": 1, "all else": 3}
    texts = {"tests/grading/a/b.py": b"1" * 3000, "tests/c.js": b"1" * 1001, "new/d": b"1" * 3001}
    weights = weight.by_room(texts, rooms)
    assert {room: dict(kinds) for room, kinds in weights.items()} == {
        "tests/grading": {"Python": 3000},
        "tests": {"scripts": 1001},
        "all else": {"other": 3001},
    }
    assert weight.heavy(weights, rooms) == ["tests", "all else"]


@in_a_clone
def test_whatever_its_name_text_is_weighed_unless_it_is_derived() -> None:
    names = set(weight.weighed())
    assert {"README.md", "Makefile", ".ci/run", "authoring/weight.py", "pyproject.toml"} <= names
    folders = {name.partition("/")[0] for name in names}
    assert not folders & {"exercises", "notebooks", "solutions", "images"}
    assert not [name for name in names if "/results/" in name or "/data/" in name]


def test_a_long_file_is_named() -> None:
    texts = {"a.py": b"\n" * 401, "b.py": b"\n" * 400, "c.txt": b"\n" * 999}
    assert weight.long_files(texts) == ["a.py: 401 lines"]
