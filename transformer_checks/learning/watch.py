"""``transformer-lesson watch``: check a notebook again on each save, one failure at a time."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from transformer_checks.checks.panel import sentence
from transformer_checks.grading.grade import ExerciseResult, NotebookResult, grade
from transformer_checks.grading.launch import StartFailed
from transformer_checks.learning import listing, names, places, standing
from transformer_checks.learning.record import Record
from transformer_checks.learning.saves import saves
from transformer_checks.learning.screen import console

SEED = 0  # as in the notebook, so that both show the same example


def run(options: argparse.Namespace) -> int:
    """Watch until Ctrl-C.

    Returns:
        0 after Ctrl-C; 1 if the answers cannot be run on this machine.

    Raises:
        names.Unclear: what was given names no notebook.
        places.Missing: the notebook is not there.
    """
    first, find = _watched(options)
    out = console()
    try:
        _watch(out, first, saves(find))
    except StartFailed as error:
        print(f"transformer-lesson: {error}\nTry to set up the course again.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        out.print("\nStopped watching. `transformer-lesson exercises` lists what is done.")
    return 0


def _watched(options: argparse.Namespace) -> tuple[Path, Callable[[], Sequence[Path]]]:
    """The notebook to begin with, and all that are watched."""
    if options.file is not None:
        path = options.file
        if not path.is_file():
            if path.suffix or len(path.parts) > 1:
                raise places.Missing(f"there is no notebook {str(path)!r}.")
            path = places.notebook(places.exercises(options.folder), names.lesson(path.name))
        return path, lambda: [path]
    folder = places.exercises(options.folder)
    upcoming = standing.upcoming(standing.course(Record(folder)))
    lesson = upcoming.check.lesson if upcoming else standing.lessons()[0]
    paths = [folder / f"{name}.ipynb" for name in standing.lessons()]
    return places.notebook(folder, lesson), lambda: [path for path in paths if path.is_file()]


def _watch(out: Console, first: Path, saved: Iterable[Path]) -> None:
    said = set[str]()
    _check(out, first, said)
    for path in saved:
        _check(out, path, said)


def _check(out: Console, path: Path, said: set[str]) -> None:
    """Check one notebook, keep what passed and show what is first to do."""
    if out.is_terminal:
        with out.status(f"checking {path.name} …"):
            result = grade(path, path.name, SEED)
        out.clear()
    else:
        result = grade(path, path.name, SEED)
    record = Record(path.parent)
    for exercise in result.exercises:
        record.note_status(exercise.exercise, exercise.status)
    show(out, path, result)
    if record.trouble and record.trouble not in said:
        said.add(record.trouble)
        out.print(f"\n{record.trouble}", soft_wrap=True)
    out.print("\nWaiting for the next save. Ctrl-C ends.", style="dim")


def show(out: Console, path: Path, result: NotebookResult) -> None:
    """What passed so far, and the first exercise that did not."""
    out.print(_heading(path, result))
    if result.status != "graded":
        out.print(f"\nIt cannot be checked: {result.reason}.", soft_wrap=True)
        return
    passed = [one.exercise for one in result.exercises if one.passed]
    out.print(Text(f"passed: {', '.join(passed) or 'none yet'}", style="blue"), soft_wrap=True)
    failed = next((one for one in result.exercises if not one.passed), None)
    if failed is None:
        out.print(f"\nAll {len(passed)} exercises pass.{_onwards(result.lesson)}")
    else:
        _show_failure(out, failed)


def _heading(path: Path, result: NotebookResult) -> RenderableType:
    title = Text.assemble((path.name, "bold"), datetime.now().strftime("  %H:%M:%S"))
    if result.status != "graded":
        return title
    done = sum(one.passed for one in result.exercises)
    words = f"{done} of {len(result.exercises)} passed, {result.points} of {result.max_points}"
    row = Table.grid(padding=(0, 2, 0, 0))
    row.add_row(f"{words} points", listing.bar(result.points, result.max_points))
    return Group(title, row)


def _show_failure(out: Console, failed: ExerciseResult) -> None:
    out.print()
    out.print(Text(f"{failed.exercise}: {failed.status}", style="bold yellow"))
    for words in filter(None, (sentence(failed.headline), sentence(failed.lead))):
        out.print(words, soft_wrap=True)
    if failed.counterexample:
        out.print(failed.counterexample, soft_wrap=True)
    out.print(f"\nStuck? transformer-lesson hint {failed.exercise}")


def _onwards(lesson: str) -> str:
    lessons = standing.lessons()
    after = lessons[lessons.index(lesson) + 1 :]
    return f" Next lesson: {after[0]}." if after else " That was the last lesson."
