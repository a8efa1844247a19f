"""Which lesson a notebook belongs to."""

from collections import Counter
from collections.abc import Iterable, Sequence

from transformer_checks import catalogue
from transformer_checks.checks.exercise import Check
from transformer_checks.grading.notebook_session import Cell
from transformer_checks.grading.sandbox.reading import Unreadable


def lesson_of(cells: Sequence[Cell]) -> tuple[str, str]:
    """Decide by the check cells; without any, by grade ids; without these, by functions.

    Returns:
        The lesson, and for the teacher why it may be another; empty where there is no doubt.

    Raises:
        Unreadable: nothing in the notebook belongs to any lesson.
    """
    checks = catalogue.CHECKS.values()
    by_id = {check.cell_id: check for check in checks}
    functions = frozenset().union(*(cell.functions for cell in cells))
    evidence: dict[str, list[Check]] = {
        "check cells": _known(catalogue.CHECKS.get(name) for c in cells for name in c.checks),
        "grade ids": _known(by_id.get(c.grade_id.removesuffix("-check")) for c in cells),
        "functions": [check for check in checks if check.answer in functions],
    }
    for kind, found in evidence.items():
        votes = Counter(check.lesson for check in found).most_common()
        if votes:
            return votes[0][0], _doubt(kind, votes)
    raise Unreadable(
        "no exercise of this course is in it; is it a lesson? Exercises are in exercises/"
    )


def _known(found: Iterable[Check | None]) -> list[Check]:
    """Each exercise once."""
    return list({check.name: check for check in found if check}.values())


def _doubt(kind: str, votes: list[tuple[str, int]]) -> str:
    if len(votes) > 1:
        shares = " and ".join(f"{lesson} ({count})" for lesson, count in votes)
        return f"its {kind} belong to {shares}; graded as {votes[0][0]}, unless --lesson says so"
    if kind == "functions":
        return f"no check cell tells its lesson; its functions are those of {votes[0][0]}"
    return ""
