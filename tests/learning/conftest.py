"""A learner's folder: lesson 02 beside its solutions, and the way to answer in it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures import Patch

ROOT = Path(__file__).resolve().parents[2]
LESSON = "02_self_attention"


def read(path: Path) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def cell(path: Path, grade_id: str) -> dict[str, Any]:
    """The cell of a notebook that nbgrader calls ``grade_id``."""
    cells = read(path)["cells"]
    found: dict[str, Any] = next(
        one for one in cells if one["metadata"].get("nbgrader", {}).get("grade_id") == grade_id
    )
    return found


def source(path: Path, grade_id: str) -> str:
    return "".join(cell(path, grade_id)["source"])


@pytest.fixture
def course(tmp_path: Path, monkeypatch: Patch) -> Path:
    """A folder with exercises/ and solutions/ of lesson 02, as the working directory."""
    for folder in ("exercises", "solutions"):
        (tmp_path / folder).mkdir()
        name = f"{folder}/{LESSON}.ipynb"
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def notebook(course: Path) -> Path:
    return course / f"exercises/{LESSON}.ipynb"


Answer = Callable[[str, str], None]


@pytest.fixture
def answer(course: Path, notebook: Path) -> Answer:
    """Write a source, or with "solution" the right one, into the cell of an answer."""

    def write(grade_id: str, text: str) -> None:
        if text == "solution":
            text = source(course / f"solutions/{LESSON}.ipynb", grade_id)
        whole = read(notebook)
        for one in whole["cells"]:
            if one["metadata"].get("nbgrader", {}).get("grade_id") == grade_id:
                one["source"] = text.splitlines(keepends=True)
        notebook.write_text(json.dumps(whole, indent=1), encoding="utf-8")

    return write
