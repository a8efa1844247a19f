"""nbgrader's own commands on the solutions, with the judge outside the learner's kernel."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from tests.grading.battery.mistakes import Mistake
from tests.grading.battery.structure import as_colab_saves_it
from tests.grading.battery.submission import alone, check_cells, edited, first, last, solution
from transformer_checks.catalogue import of_lesson

api = pytest.importorskip(
    "nbgrader.api", reason="nbgrader is an optional extra: pip install '.[nbgrader]'"
)

LESSON = "02_self_attention"
CONFIG = """from transformer_checks.grading.nbgrader_judge import judge_outside
c = get_config()
judge_outside(c)
c.CourseDirectory.course_id = "transformers"
c.Judge.seed = 3
"""
WRONG_MASK = Mistake("causal_mask", "<=", "<")
FAILING = first("import no_such_module")
POINTS = {check.answer: check.points for check in of_lesson(LESSON)}
FULL = sum(POINTS.values())


def tampered(book: NotebookNode) -> None:
    """Claim points in every way that nbgrader has ever looked at."""
    alone(book)
    WRONG_MASK.make(book)
    checks = check_cells(book)
    checks[0].metadata.nbgrader.points = 1000
    checks[1].source = "1000"
    checks[2].cell_type = "markdown"
    checks[3].metadata.nbgrader = "gone"
    checks[4].metadata.nbgrader.grade_id = checks[5].metadata.nbgrader.grade_id
    book.cells.remove(checks[6])
    book.cells.insert(1, checks[7])
    last("import os\nos._exit(0)", "def check(*_):\n    return 1000")(book)


def live(book: NotebookNode) -> None:
    """Text cells that would run in the browser of whoever reads the feedback."""
    for text in (
        "<script>taken()</script>",
        "<img src=x onerror='taken()'>",
        "[a](javascript:taken())",
    ):
        book.cells.append(nbformat.v4.new_markdown_cell(f"my own words {text}"))


def turned(book: NotebookNode) -> None:
    """Answers whose cells a slip of a key has made Markdown or raw."""
    for n, cell in enumerate(book.cells):
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.cell_type = "markdown" if n % 2 else "raw"


def cut(folder: Path) -> None:
    text = json.dumps(solution(LESSON))
    (folder / f"{LESSON}.ipynb").write_text(text[:3000])


def submitted(*changes: Callable[[NotebookNode], object]) -> Callable[[Path], object]:
    return edited(*changes, name=f"{LESSON}.ipynb")


CLASS = {
    "ben": (submitted(alone, WRONG_MASK.make, live, FAILING), FULL - POINTS["causal_mask"]),
    "cleo": (submitted(tampered), FULL - POINTS["causal_mask"]),
    "dora": (submitted(as_colab_saves_it), FULL),
    "emil": (cut, 0),
    "fay": (submitted(turned), FULL),
}


def nbgrader(folder: Path, *words: str) -> None:
    # nbgrader calls alembic, which stands beside this Python.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        [sys.executable, "-m", "nbgrader", *words],
        cwd=folder,
        env={**os.environ, "PATH": path, "HOME": str(folder)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr[-3000:]


def test_nbgrader_takes_its_points_from_the_judge(tmp_path: Path) -> None:
    (tmp_path / "nbgrader_config.py").write_text(CONFIG)
    source = tmp_path / "source/02"
    source.mkdir(parents=True)
    (source / f"{LESSON}.ipynb").write_text(json.dumps(solution(LESSON)))
    nbgrader(tmp_path, "generate_assignment", "02", "--create")
    for name, (build, _) in CLASS.items():
        folder = tmp_path / "submitted" / name / "02"
        folder.mkdir(parents=True)
        build(folder)

    nbgrader(tmp_path, "autograde", "02", "--create")
    nbgrader(tmp_path, "generate_feedback", "02", "--student=[be]*")  # the pages looked at below

    with api.Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as book:
        rows = {row["student"]: row for row in book.submission_dicts("02")}
    assert {name: row["score"] for name, row in rows.items()} == {
        name: points for name, (_, points) in CLASS.items()
    }
    assert {row["max_score"] for row in rows.values()} == {FULL}
    page = (tmp_path / "feedback/ben/02" / f"{LESSON}.html").read_text()
    assert "a token may not attend to itself" in page
    assert "my own words" in page
    assert "The first thing that failed: the cell" in page
    handed_in = (tmp_path / f"submitted/ben/02/{LESSON}.ipynb").read_text()
    for alive in ("<script>taken", "<img src=x", "javascript:taken"):
        assert alive in handed_in and alive not in page.replace("&quot;", "")
    page = (tmp_path / "feedback/emil/02" / f"{LESSON}.html").read_text()
    assert "it is not JSON" in page
