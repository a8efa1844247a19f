"""Show results in a terminal, or in whatever the output is piped into."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from notebook_judge.grading.results import NotebookResult
from notebook_judge.sanitize import sanitize_line

_STYLES = {"passed": "blue", "follows": "blue", "not attempted": "bright_black"}


def notebook_table(result: NotebookResult) -> RenderableType:
    """What one notebook got: an exercise a row, and the first thing to fix in each."""
    title = _text(result.path, "bold")
    if result.status != "graded":
        return Group(title, Padding(_text(f"{result.status}: {result.reason}"), (0, 0, 1, 1)))
    table = _table("exercise", "status", "points", "first thing to fix")
    for exercise in result.exercises:
        table.add_row(
            _text(exercise.exercise),
            _text(exercise.status, _STYLES.get(exercise.status, "yellow")),
            f"{exercise.points}/{exercise.max_points}",
            _text(exercise.headline),
        )
    table.add_section()
    table.add_row("total", "", f"{result.points}/{result.max_points}", "")
    said = [*filter(None, [result.first_failure])]
    said += [f"for the teacher: {note}" for note in result.notes]
    notes = [Padding(_text(words, "yellow"), (0, 1)) for words in said]
    return Group(title, table, *notes)


def class_table(results: Sequence[NotebookResult]) -> RenderableType:
    """One notebook a row."""
    table = _table("notebook", "status", "points", "passed", "remark")
    for result in results:
        passed = sum(exercise.passed for exercise in result.exercises)
        graded = result.status == "graded"
        table.add_row(
            _text(result.name),
            _text(result.status),
            f"{result.points}/{result.max_points}" if graded else "",
            f"{passed}/{len(result.exercises)}" if graded else "",
            _text(result.remark),
        )
    return Group(_text("class", "bold"), table)


def _text(words: str, style: str = "") -> Text:
    """Words as they are: no markup, no control characters."""
    return Text(sanitize_line(words), style=style)


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 1), header_style="underline")
    for column in columns:
        # Only the last column may be wrapped; nothing is ever cut off.
        wraps = column == columns[-1]
        table.add_column(
            column,
            justify="right" if column in ("points", "passed") else "left",
            no_wrap=not wraps,
            overflow="fold",
        )
    return table
