"""What a learner sees of ``pytest --nbval-lax exercises/``: exercises, and points at the end.

nbval runs the cells. This names the checks after their exercises, shows what a check said in place
of a stack trace, gives the cells after a dead kernel a new one, and adds up the points. It trusts
the learner's kernel, as nbval does; the grader does not.
"""

import re
from collections import Counter
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from nbval.plugin import IPyNbFile

from notebook_judge.catalogue import catalogue
from notebook_judge.grading.sandbox.reading import grade_id
from notebook_judge.grading.submissions import is_copy
from notebook_judge.learning.nbval_cell import ExerciseCell, RestartingKernel, retry_start

# nbval would wait 2000 seconds for a cell. The slowest of the course's takes less than a minute.
CELL_S = 120.0
_NBVALS_OWN = 2000
_CHECK = re.compile(r"^\s*check\(\s*(['\"])([\w.]+)\1", re.MULTILINE)


class Exercises:
    """A pytest plugin, for runs with ``--nbval`` or ``--nbval-lax``."""

    def __init__(self, config: pytest.Config) -> None:
        option = config.option
        # The Python that runs pytest has the course; the kernel that a notebook names may not
        # even exist here.
        option.nbval_current_env |= not option.nbval_kernel_name
        if option.nbval_cell_timeout == _NBVALS_OWN:
            option.nbval_cell_timeout = CELL_S
        option.continue_on_collection_errors = True  # a damaged notebook stops no other
        self._verdicts: dict[str, dict[str, str]] = {}
        self._lessons: dict[str, str] = {}

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        """Leave out the copies that ``reset`` makes, unless they are asked for by name."""
        asked = any(Path(word).name == collection_path.name for word in config.args)
        return True if is_copy(collection_path) and not asked else None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Name the cells of a notebook with exercises, or say why it cannot be read."""
        report = yield
        items: list[Any] = report.result or []
        if isinstance(collector, IPyNbFile):
            retry_start(collector)
            if report.failed:
                report.longrepr = f"{collector.path} is not a notebook, or a damaged one."
                return report
            if any(_checked(item.cell) for item in items):
                items = report.result = _named(items)
            lesson = _lesson_of(items)
            for item in items:  # also where its checks are gone, so that the points are missed
                item.user_properties.append(("lesson", lesson))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the outcome of an exercise."""
        properties = dict(report.user_properties)
        exercise, lesson = properties.get("exercise"), properties.get("lesson")
        if report.when != "call" and not report.failed:
            return  # what was skipped earns no points, and misses none
        file = report.nodeid.split("::")[0]
        if isinstance(lesson, str) and lesson:
            self._lessons[file] = lesson
        if isinstance(exercise, str):
            verdict = "passed" if report.passed else str(properties.get("verdict", "failed"))
            self._verdicts.setdefault(file, {})[exercise] = verdict

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Add up the points of each notebook."""
        if self._lessons:
            terminalreporter.section("points")
            for line in points_table(self._lessons, self._verdicts):
                terminalreporter.write_line(line)


def points_table(lessons: dict[str, str], verdicts: dict[str, dict[str, str]]) -> list[str]:
    """Lines that say, for each notebook, what passed and what it is worth.

    Args:
        lessons: by file, the lesson that it answers.
        verdicts: by file, and in it by name of the exercise, what the check cells said.
    """
    rows = {file: _row(lesson, verdicts.get(file, {})) for file, lesson in lessons.items()}
    if len(rows) > 1:
        rows["total"] = tuple(sum(row[n] for row in rows.values()) for n in range(4))
    width = max(map(len, rows))
    lines = []
    for file, (done, number, points, most) in rows.items():
        words = f"{done:>2} of {number:>2} passed  {points:>3} of {most:>3} points"
        first = _first_to_do(lessons[file], verdicts.get(file, {})) if file in lessons else ""
        lines.append(f"{file:<{width}}  {words}{first}")
    return lines


def _row(lesson: str, verdicts: dict[str, str]) -> tuple[int, ...]:
    """Exercises passed, exercises, points, and points to be had, in one notebook."""
    checks = catalogue().of_lesson(lesson)
    passed = [check for check in checks if verdicts.get(check.name) == "passed"]
    points, most = (sum(check.points for check in some) for some in (passed, checks))
    return len(passed), len(checks), points, most


def _first_to_do(lesson: str, verdicts: dict[str, str]) -> str:
    for check in catalogue().of_lesson(lesson):
        if (verdict := verdicts.get(check.name, "no check ran")) != "passed":
            return f"  first to do: {check.name} ({verdict})"
    return ""


def _lesson_of(items: Sequence[Any]) -> str:
    """The lesson that a notebook answers, by its checks and by what nbgrader calls its cells.

    A lesson that shows a single check is no exercise notebook.
    """
    found = {_checked(item.cell) for item in items}
    found |= {
        catalogue().by_cell_id.get(grade_id(item.cell).removesuffix("-check"), "") for item in items
    }
    votes = Counter(catalogue().lesson_of[name] for name in found if name).most_common(1)
    return votes[0][0] if votes and votes[0][1] > 1 else ""


def _named(items: Sequence[Any]) -> list[Any]:
    """Call the cells after their exercises: ``attention.softmax`` and ``… answer``."""
    seen: Counter[str] = Counter()
    checks = {item.cell_num for item in items if _checked(item.cell)}
    kernel, cells = RestartingKernel(items[0].parent, checks, _lesson_of(items)), []
    for item in items:
        exercise = _checked(item.cell)
        answer = catalogue().by_cell_id.get(grade_id(item.cell))
        name = exercise or (f"{answer} answer" if answer else item.name)
        seen[name] += 1
        name += f" ({seen[name]})" * (seen[name] > 1)
        cells.append(ExerciseCell.instead_of(item, name, exercise, kernel))
    return cells


def _checked(cell: Any) -> str:
    """The exercise that a cell checks, wherever it came from; empty if it checks none."""
    found = _CHECK.search(cell.source)
    return found[2] if found and found[2] in catalogue().lesson_of else ""
