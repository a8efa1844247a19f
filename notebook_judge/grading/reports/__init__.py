"""Write results for people, spreadsheets, continuous integration and Gradescope."""

import hashlib
from collections.abc import Sequence
from typing import Protocol

from notebook_judge.grading.jobs import RunInfo
from notebook_judge.grading.learners import Roster
from notebook_judge.grading.reports import formats, gradebooks, pages
from notebook_judge.grading.reports.matrix import matrix_of
from notebook_judge.grading.results import NotebookResult

# Excel reads a CSV as text in the machine's old code page unless it begins with this mark.
_UTF8 = "\N{ZERO WIDTH NO-BREAK SPACE}"


class Writer(Protocol):
    """Writes files whole or not at all."""

    def write(self, name: str, text: str | bytes) -> None:
        """Write the file ``name`` of the folder."""

    def remove(self, name: str) -> None:
        """Remove the file ``name`` of the folder, if it is there."""


def write_notebook(folder: Writer, result: NotebookResult, full_name: str = "") -> None:
    """Write what belongs to one notebook; its page begins with whose it is."""
    page, gradescope = files_of(result.name)
    folder.write(page, pages.notebook_page(result, full_name))
    if result.status == "not graded":  # without a file Gradescope says that the grader failed
        folder.remove(gradescope)
    else:
        folder.write(gradescope, formats.as_gradescope(result))


def write_class(
    folder: Writer,
    run: RunInfo,
    results: Sequence[NotebookResult],
    roster: Roster | None = None,
    remarks: Sequence[str] = (),
) -> None:
    """Write what belongs to all notebooks together.

    Args:
        folder: where to.
        run: the circumstances.
        results: of all notebooks, in the order in which they are listed.
        roster: the class; None: nothing is known of it.
        remarks: for the teacher, on the table of the class and on the overrides.
    """
    matrix = matrix_of(results, roster or Roster())
    folder.write("grades.json", formats.as_json(run, results))
    folder.write("grades.csv", _UTF8 + formats.as_csv(results))
    folder.write("class.csv", _UTF8 + formats.as_class_csv(results))
    folder.write("junit.xml", formats.as_junit(run, results))
    # Programs read these: no mark at the beginning.
    writers = {"canvas": gradebooks.as_canvas, "moodle": gradebooks.as_moodle}
    for platform, text in {**writers, "nbgrader": gradebooks.as_nbgrader}.items():
        name = f"gradebook/{platform}.csv"
        if matrix.joined(roster or Roster()):
            folder.write(name, text(matrix))
        else:  # of a whole class it would say that nobody has a point
            folder.remove(name)
    links = {result.name: files_of(result.name)[0] for result in results}
    folder.write("index.html", pages.class_page(run, results, links, roster, remarks))


def files_of(name: str) -> tuple[str, str]:
    """Where the page of the notebook with this name stands in the folder, and Gradescope's file."""
    return f"feedback/{_stem(name)}.html", f"gradescope/{_stem(name)}/results.json"


def _stem(name: str) -> str:
    """A name that no file system finds too long: they count bytes, and allow 255."""
    if len(name.encode()) <= 200:
        return name
    short = name.encode()[:180].decode(errors="ignore")
    return f"{short}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
