"""The judge's README makes a course of its own: its checks name mistakes, its class is graded."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "notebook_judge" / "README.md"
# A file's name, the last before the fence, and what stands in it.
_FILE = re.compile(r"`([\w/]+\.\w+)`[^`]*\n\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"`((?:jupytext|python -m) [^`]+)`")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the README writes, and its class."""
    place = tmp_path_factory.mktemp("course")
    for name, text in _FILE.findall(README.read_text("utf-8")):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    (place / "class" / "anna").mkdir(parents=True)
    return place


def run(course: Path, *words: str) -> str:
    asked = [sys.executable, *words]
    done = subprocess.run(asked, cwd=course, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_check_says_what_the_readme_says(course: Path) -> None:
    said = README.read_text("utf-8").partition("check says\n\n```\n")[2].partition("```")[0]
    cells = (course / "anna.py").read_text("utf-8").replace("# %%", "")
    code = cells.replace('check("lists.merge"', 'try:\n    check("lists.merge"')
    told = run(course, "-c", code + "except Exception as error:\n    print(error)\n")
    assert "lists.insert: passed, 1 of 1 points" in told
    assert said and said in told


def test_its_class_is_graded(course: Path) -> None:
    text, grade, _ = _COMMAND.findall(README.read_text("utf-8"))
    run(course, "-m", *text.split())
    told = run(course, *grade.split()[1:])
    assert re.search(r"total +1/6", told)
    assert "Sorting in an hour" in (course / "grades" / "index.html").read_text("utf-8")
    (graded,) = json.loads((course / "grades" / "grades.json").read_text("utf-8"))["notebooks"]
    named = {one["exercise"]: one["slip"] for one in graded["exercises"]}
    assert named == {"lists.insert": "", "lists.merge": "the rest lost", "lists.sort": ""}


def test_it_lists_its_exercises_and_gives_hints(course: Path) -> None:
    run(course, "-c", "import sorting, sys; assert 'transformer_lesson' not in sys.modules")
    told = run(course, "-m", "sorting", "--help")
    assert "Sorting in an hour" in told and "transformer" not in told.casefold()
