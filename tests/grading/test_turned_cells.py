"""An answer whose cell became Markdown or raw still counts by its id."""

import json
from pathlib import Path

import pytest

from notebook_judge.grading.grader import grade_notebook
from notebook_judge.grading.sandbox.reading import cells_of
from tests.grading.tiny_course import IMPORTS, RIGHT

IDS = frozenset(f"tiny-{name}" for name in RIGHT)


def cell(kind: str, source: str, name: str = "", mark: str = "nbgrader") -> dict:
    """A cell that is known by nbgrader's mark or by the notebook's own id."""
    marked = {"nbgrader": {"grade_id": name, "solution": True}} if mark == "nbgrader" else {}
    held = {"cell_type": kind, "source": source, "metadata": marked if name else {}}
    return held | ({"id": name} if name and mark == "id" else {})


def read(*cells: dict) -> list[str]:
    return [source for source, _ in cells_of(json.dumps({"cells": cells}), IDS)]


@pytest.mark.parametrize("mark", ["nbgrader", "id"])
@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_a_turned_answer_is_graded(tiny: None, tmp_path: Path, kind: str, mark: str) -> None:
    cells = [cell("code", IMPORTS)]
    for name, source in RIGHT.items():
        cells.append(cell("markdown", f"### {name}"))
        cells.append(cell(kind, source, f"tiny-{name}", mark))
    path = tmp_path / "x.ipynb"
    path.write_text(
        json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}})
    )
    result = grade_notebook(path, "x", 5, lesson="99_tiny")
    assert {one.status for one in result.exercises} == {"passed"}
    assert result.exercises[0].code == RIGHT["double"]


def test_a_text_counts_only_where_nothing_else_answers() -> None:
    note = "the idea: double(x) is 2 * x"
    right, old = RIGHT["double"], "def double(x):\n    return 3 * x"
    turned = cell("markdown", old, "tiny-double")
    assert read(cell("markdown", note), turned) == [old]
    # A draft that was copied with its mark, and an answer in a cell of the learner's own.
    assert read(turned, cell("code", right, "tiny-double")) == [right]
    assert read(cell("code", right), turned) == [right]
    assert read(cell("code", right), cell("raw", note, "another")) == [right]
    assert read(cell("heading", "1", "tiny-double"), cell("code", right)) == [right]


def test_format_3_has_another_key() -> None:
    sheet = {"cells": [{"cell_type": "code", "input": "x = 1"}, cell("raw", "y = 2", "tiny-ends")]}
    text = json.dumps({"worksheets": [sheet]})
    assert [source for source, _ in cells_of(text, IDS)] == ["x = 1", "y = 2"]
