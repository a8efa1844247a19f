"""What a notebook of solutions states of its exercises, from the catalogue, by ``make exercises``.

The head has the minutes and points of all; each task its title, difficulty, importance, minutes
and points; each check its points.
"""

import copy
import re
from collections.abc import Sequence

from nbformat import NotebookNode

from notebook_judge.checks.exercise import Check

_TASK = re.compile(r"^(## \d+\. ).*\n\n\*Difficulty .*\*$", re.MULTILINE)
_TOGETHER = re.compile(r"\*\*Time:\*\* about .*? \*\*Points:\*\* \d+\.")


def with_figures(notebook: NotebookNode, checks: Sequence[Check]) -> NotebookNode:
    """Return a copy that states what these checks of a lesson say.

    Raises:
        ValueError: if a check has no task, a task no check of these, or the notebook no place for
            what they are together.
    """
    fresh = copy.deepcopy(notebook)
    left = list(checks)
    task, heads = None, 0
    for cell in fresh.cells:
        if _TOGETHER.search(cell.source):
            cell.source, heads = _TOGETHER.sub(_together(checks), cell.source), heads + 1
        if found := _TASK.search(cell.source):
            task, stated = cell, found
        if task and cell.metadata.get("nbgrader", {}).get("grade"):
            named = [one for one in left if f'check("{one.name}"' in cell.source]
            if not named:
                raise ValueError(f"the catalogue has no exercise for the cell {cell.source!r}")
            check = named[0]
            task.source = task.source.replace(stated[0], stated[1] + _of(check))
            cell.metadata.nbgrader.points = check.points
            left.remove(check)
            task = None
    if left or heads != 1:
        missing = ", ".join(check.name for check in left) or "nothing"
        raise ValueError(
            f"no task is found for {missing}, and {heads} cells tell time and points; expected "
            "'## 1. Title' with '*Difficulty …*' below it before each check, and one cell with "
            "'**Time:** about … **Points:** …'"
        )
    return fresh


def _of(check: Check) -> str:
    points = f"{check.points} point{'s' * (check.points > 1)}"
    how = f"Difficulty {check.difficulty}/5 · importance {check.importance}/5"
    return f"{check.title}\n\n*{how} · about {check.minutes} minutes · {points}*"


def _together(checks: Sequence[Check]) -> str:
    minutes = sum(check.minutes for check in checks)
    core = sum(check.minutes for check in checks if check.core)
    points = sum(check.points for check in checks)
    time = f"**Time:** about {minutes} minutes; {core} for those of importance 5, the core way."
    return f"{time} **Points:** {points}."
