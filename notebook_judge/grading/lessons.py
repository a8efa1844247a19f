"""Which lesson a notebook belongs to."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from notebook_judge.catalogue import catalogue
from notebook_judge.grading.notebook_session import Cell
from notebook_judge.grading.sandbox.reading import Unreadable


def lesson_of(cells: Sequence[Cell]) -> tuple[str, str]:
    """Decide by the check cells; without any, by grade ids; without these, by functions.

    Returns:
        The lesson, and for the teacher why it may be another; empty where there is no doubt.

    Raises:
        Unreadable: nothing in the notebook belongs to any lesson.
    """
    for kind, found in _evidence(cells):
        if votes := Counter(catalogue().lesson_of[name] for name in found).most_common():
            return votes[0][0], _doubt(kind, votes)
    raise Unreadable(
        "no exercise of this course is in it; is it a lesson? Exercises are in exercises/"
    )


def _evidence(cells: Sequence[Cell]) -> Iterator[tuple[str, Iterable[str]]]:
    """Which exercises are in it, each once, and by what: the surest first."""
    names = dict.fromkeys(name for cell in cells for name in cell.checks)
    yield "check cells", [name for name in names if name in catalogue().lesson_of]
    ids = dict.fromkeys(cell.grade_id.removesuffix("-check") for cell in cells)
    yield "grade ids", [catalogue().by_cell_id[one] for one in ids if one in catalogue().by_cell_id]
    functions = frozenset().union(*(cell.functions for cell in cells))  # reads the whole catalogue
    yield "functions", [n for n, check in catalogue().checks.items() if check.answer in functions]


def _doubt(kind: str, votes: list[tuple[str, int]]) -> str:
    if len(votes) > 1:
        shares = " and ".join(f"{lesson} ({count})" for lesson, count in votes)
        return f"its {kind} belong to {shares}; graded as {votes[0][0]}, unless --lesson says so"
    if kind == "functions":
        return f"no check cell tells its lesson; its functions are those of {votes[0][0]}"
    return ""
