"""One notebook, three judges: the check cells in a shell, nbval in a kernel, and the grader."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import nbformat
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat import NotebookNode

from notebook_judge.grading.grader import grade_notebook
from notebook_judge.learning import notebook
from notebook_judge.learning.record import Record
from tests.fixtures import Patch
from transformer_checks import catalogue

ROOT = Path(__file__).parents[2]
Passed = set[str]


def by_check(book: NotebookNode, folder: Path, monkeypatch: Patch) -> Passed:
    """The exercises whose check says so at last, in a shell that runs one cell after the other."""
    folder.mkdir(parents=True)
    nbformat.write(book, folder / "mine.ipynb")
    record = Record(folder)
    monkeypatch.setattr(notebook, "_record", record)
    shell = InteractiveShell()
    with capture_output():
        for cell in book.cells:
            if cell.cell_type == "code":
                shell.run_cell(cell.source)
    return {name for name in catalogue.CHECKS if record.entry(name).status == "passed"}


def by_grader(book: NotebookNode, folder: Path) -> Passed:
    """The exercises that pass by themselves; whoever follows from another one does not."""
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, folder / "graded.ipynb")
    result = grade_notebook(folder / "graded.ipynb", "graded", 5)
    assert (result.status, result.reason) == ("graded", "")
    return {one.exercise for one in result.exercises if one.passed}


def by_nbval(books: Mapping[str, NotebookNode], folder: Path) -> dict[str, Passed]:
    """By the name of the notebook, the exercises whose check cells pass; all in one run."""
    (folder / "exercises").mkdir(parents=True)
    (folder / "conftest.py").write_bytes((ROOT / "conftest.py").read_bytes())
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, book in books.items():
        nbformat.write(book, folder / "exercises" / f"{name}.ipynb")
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "--color=no", "-v", "exercises"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    found = re.findall(r"^exercises/(.+)\.ipynb::(\S+) PASSED", run.stdout, re.MULTILINE)
    passed = {name: {one for of, one in found if of == name} for name in books}
    return {name: those & catalogue.CHECKS.keys() for name, those in passed.items()}
