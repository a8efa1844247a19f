"""Points of learners in files that other gradebooks take in.

- Canvas, ``lib/gradebook_importer.rb`` in its source: five columns that say who it is, then one for
  each assignment; below the header a row that begins with "Points Possible".
- Moodle, https://docs.moodle.org/en/Grade_import: any columns; the teacher says which identifies
  a learner and which is mapped to what. Points must come together with feedback.
- nbgrader, ``nbgrader/plugins/export.py`` in its source: what ``nbgrader export`` writes.
"""

from collections.abc import Iterable
from typing import Any

from notebook_judge.grading.reports.formats import csv_text
from notebook_judge.grading.reports.matrix import Matrix, Row
from notebook_judge.grading.results import NotebookResult

_NBGRADER = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)


def as_canvas(matrix: Matrix) -> str:
    """A row for each learner; an empty cell leaves in Canvas what is there."""
    who = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
    possible: dict[str, Any] = {"Student": "Points Possible", **matrix.lessons}
    rows = [
        {
            "Student": row.learner.name or row.learner.learner,
            "ID": row.learner.id,
            "SIS User ID": row.learner.number,
            "SIS Login ID": row.learner.login,
            "Section": row.learner.section,
            **_points(row),
        }
        for row in matrix.rows
    ]
    return csv_text((*who, *matrix.lessons), [possible, *rows])


def as_moodle(matrix: Matrix) -> str:
    """A row for each learner: points and feedback in each lesson."""
    who = ("Username", "ID number", "Email address", "Full name")
    columns = [column for lesson in matrix.lessons for column in (lesson, _feedback(lesson))]
    rows = [
        {
            "Username": row.learner.login or row.learner.learner,
            "ID number": row.learner.number,
            "Email address": row.learner.email,
            "Full name": row.learner.name,
            **_points(row),
            **{_feedback(name): _comments(one.best) for name, one in row.entries.items()},
        }
        for row in matrix.rows
    ]
    return csv_text((*who, *columns), rows)


def as_nbgrader(matrix: Matrix) -> str:
    """A row for each learner and lesson; who handed in nothing has 0 points, as in nbgrader."""
    return csv_text(_NBGRADER, _nbgrader_rows(matrix))


def _nbgrader_rows(matrix: Matrix) -> Iterable[dict[str, Any]]:
    for lesson, most in matrix.lessons.items():
        for row in matrix.rows:
            best = row.entries[lesson].best if lesson in row.entries else NotebookResult("", "", "")
            last, comma, first = row.learner.name.partition(", ")
            if not comma:
                first, _, last = row.learner.name.rpartition(" ")
            yield {
                "assignment": lesson,
                "student_id": row.learner.learner,
                "last_name": last,
                "first_name": first,
                "email": row.learner.email,
                "duedate": best.late.due,
                "timestamp": best.late.submitted,
                "raw_score": float(best.earned),
                "late_submission_penalty": float(best.late.penalty),
                "score": float(best.points),
                "max_score": float(most),
            }


def _points(row: Row) -> dict[str, float]:
    return {lesson: entry.best.points for lesson, entry in row.entries.items()}


def _feedback(lesson: str) -> str:
    return f"{lesson} (feedback)"


def _comments(result: NotebookResult) -> str:
    comments = [f"{e.title}: {e.comment}" for e in result.exercises if e.comment]
    return "; ".join(filter(None, (*comments, result.first_failure, result.late.says)))
