"""``pytest --nbval-lax``: exercises by name, a dead kernel harms nobody, points at the end."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from notebook_judge.learning.record import Record
from tests.fixtures import Patch
from tests.learning.conftest import LESSON, ROOT

pytestmark = pytest.mark.sampled(3)  # each starts pytest and kernels
SOFTMAX = """\
def softmax(scores):
    exponentials = (scores - scores.amax(-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)
"""
SCORES = "def scores(query, key):\n    return query @ key.mT / query.shape[-1] ** 0.5"
UNSCALED = "def scores(query, key):\n    return query @ key.mT"
SKIPS = """

def pytest_collection_modifyitems(items):
    for item in items:
        if "skipped" in item.nodeid:
            item.add_marker(pytest.mark.skip)
"""


def check(name: str, answer: str) -> str:
    return f'from transformer_lesson.checks import check\n\ncheck("{name}", {answer})'


CHECK_SOFTMAX, CHECK_SCORES = (check(f"attention.{n}", n) for n in ("softmax", "scores"))


def save(path: Path, *sources: str, kernel: str = "python3") -> None:
    cells = [new_markdown_cell("# Mine"), *map(new_code_cell, sources)]
    metadata = {"kernelspec": {"name": kernel, "display_name": kernel, "language": "python"}}
    nbformat.write(new_notebook(cells=cells, metadata=metadata), path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty exercises/ in a clone whose conftest.py is the course's."""
    (tmp_path / "conftest.py").write_bytes((ROOT / "conftest.py").read_bytes())
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "exercises").mkdir()
    return tmp_path / "exercises"


def nbval(folder: Path, *words: str) -> str:
    """What a learner sees."""
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "--color=no", *words]
    run = subprocess.run(
        command,
        cwd=folder.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "INTERNALERROR" not in run.stdout + run.stderr, run.stdout
    return run.stdout


def failed(printed: str) -> list[str]:
    return re.findall(r"^FAILED \S+::(.+?)(?: - .*)?$", printed, flags=re.MULTILINE)


def test_exercises_have_names_and_checks_speak_for_themselves(folder: Path) -> None:
    panel = "from transformer_lesson.checks import progress\nprogress()"
    answered = (SOFTMAX, CHECK_SOFTMAX, UNSCALED, CHECK_SCORES, CHECK_SCORES)
    save(folder / f"{LESSON}.ipynb", panel, *answered)
    save(folder / "skipped.ipynb", *answered)
    with (folder.parent / "conftest.py").open("a") as conftest:
        conftest.write(SKIPS)
    printed = nbval(folder, "-v", "exercises")
    assert "skipped.ipynb" not in printed.partition("= points =")[2]
    assert f"exercises/{LESSON}.ipynb::attention.softmax PASSED" in printed
    assert failed(printed) == ["attention.scores", "attention.scores (2)"]
    assert f"{LESSON}.ipynb: attention.scores ___" in printed
    assert "\nattention.scores: wrong\nThe dot products are not scaled." in printed
    assert "Traceback" not in printed and "unhandled" not in printed
    assert "1 of  9 passed    1 of  16 points  first to do: attention.scores (wrong)" in printed
    record = Record(folder)
    assert record.entry("attention.softmax").state == "done"
    assert record.entry("attention.scores").state == "tried"


def test_a_dead_kernel_or_an_endless_cell_costs_one_exercise(folder: Path) -> None:
    endless = """\
import time
while True:
    try:
        time.sleep(1)
    except BaseException:
        pass"""
    save(
        folder / f"{LESSON}.ipynb",
        "helper = 1",
        "import os\ndef scores(query, key):\n    os._exit(3)",
        CHECK_SCORES,
        endless,
        SOFTMAX + "\nassert helper == 1",
        CHECK_SOFTMAX,
    )
    printed = nbval(folder, "--nbval-cell-timeout=20", "exercises")
    assert failed(printed) == ["attention.scores", "Cell 3"], printed
    assert "\nThe kernel died while this cell ran." in printed
    assert "Timeout of 20 seconds exceeded" in printed
    assert "1 of  9 passed" in printed
    assert "first to do: attention.scores (the kernel died)" in printed


def test_a_damaged_notebook_and_a_foreign_kernel_stop_no_other(folder: Path) -> None:
    (folder / "01_broken.ipynb").write_text('{"cells": [')
    save(folder / f"{LESSON}.ipynb", SOFTMAX, CHECK_SOFTMAX, SCORES, CHECK_SCORES, kernel="R-4.9")
    save(folder / f"{LESSON}.copy_2026-01-31_120000.ipynb", "1 / 0", CHECK_SOFTMAX, CHECK_SCORES)
    printed = nbval(folder, "exercises")
    assert "01_broken.ipynb is not a notebook, or a damaged one." in printed
    assert "2 of  9 passed" in printed
    assert failed(printed) == []
    assert "total" not in printed


def test_a_kernel_that_dies_as_it_starts_is_started_once_more(
    folder: Path, monkeypatch: Patch
) -> None:
    """As one does whose port was taken by another program before it came to listen."""
    marks = folder.parent / "starts"
    marks.mkdir()
    frail = f"""\
import os, tempfile
marks = {str(marks)!r}
tempfile.mkstemp(dir=marks)
if len(os.listdir(marks)) == 1:
    os._exit(1)
from ipykernel.kernelapp import launch_new_instance
launch_new_instance()"""
    spec = folder.parent / "jupyter" / "kernels" / "frail" / "kernel.json"
    spec.parent.mkdir(parents=True)
    start = [sys.executable, "-c", frail, "-f", "{connection_file}"]
    spec.write_text(json.dumps({"argv": start, "display_name": "frail", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(spec.parents[2]))
    save(folder / f"{LESSON}.ipynb", SOFTMAX, CHECK_SOFTMAX)
    printed = nbval(folder, "--nbval-kernel-name=frail", "exercises")
    assert "2 passed" in printed
    assert len(list(marks.iterdir())) == 2


def test_one_exercise_can_be_asked_for_by_name(folder: Path) -> None:
    save(folder / f"{LESSON}.ipynb", "helper = 1", SOFTMAX, "1 / 0", CHECK_SOFTMAX)
    printed = nbval(folder, f"exercises/{LESSON}.ipynb::attention.softmax")
    assert "1 passed" in printed


def test_points_are_the_courses_and_add_up(folder: Path) -> None:
    """What a notebook claims does not count, and what it has no check for any more is missed."""
    save(folder / f"{LESSON}.ipynb", SOFTMAX, CHECK_SOFTMAX, UNSCALED, CHECK_SCORES)
    whole = json.loads((folder / f"{LESSON}.ipynb").read_text())
    whole["cells"][2]["metadata"] = {"nbgrader": {"points": 1000, "grade_id": "x"}}
    (folder / "second.ipynb").write_text(json.dumps(whole))
    (folder / "third.ipynb").write_text(json.dumps(answers_without_checks()))
    printed = nbval(folder, "exercises", "-n2")
    assert f"exercises/{LESSON}.ipynb   1 of  9 passed    1 of  16 points  first" in printed
    # It has no imports either: the course's stand in.
    assert re.search(r"^exercises/third.ipynb +1 of +9 passed +1 of +16 points", printed, re.M)
    assert re.search(r"^total +3 of 27 passed +3 of +48 points$", printed, re.M)


def answers_without_checks() -> dict[str, Any]:
    whole = json.loads((ROOT / "solutions" / f"{LESSON}.ipynb").read_text())
    whole["cells"] = [c for c in whole["cells"] if "solution" in str(c["metadata"])][:3]
    for cell in whole["cells"]:
        cell["metadata"]["nbgrader"].pop("grade", None)
    return dict(whole)
