"""The command ``watch``: check a notebook again on each save, one failure at a time."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from notebook_judge.console import console
from notebook_judge.course import course
from notebook_judge.grading.results import ExerciseResult, NotebookResult
from notebook_judge.grading.sandbox.launch import StartFailed
from notebook_judge.learning import lookup, paths, progress, progress_table
from notebook_judge.learning.file_watcher import watch_files
from notebook_judge.learning.record import Record
from notebook_judge.sentences import sentence

SEED = 0  # as in the notebook, so that both show the same example


def run(options: argparse.Namespace) -> int:
    """Watch until Ctrl-C.

    Returns:
        0 after Ctrl-C; 1 if the answers cannot be run on this machine.

    Raises:
        lookup.UnknownName: what was given names no lesson.
        paths.Missing: the notebook is not there.
    """
    first, find = _watched(options)
    out = console()
    try:
        _watch(out, first, watch_files(find))
    except StartFailed as error:
        print(f"{course().name}: {error}\nTry to set up the course again.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        out.print(f"\nStopped watching. `{course().name} exercises` lists what is done.")
    return 0


def _watched(options: argparse.Namespace) -> tuple[Path, Callable[[], Sequence[Path]]]:
    """The notebook to begin with, and a function that returns all that are watched."""
    path = options.file
    if path is not None:
        if not path.is_file():
            if path.suffix or len(path.parts) > 1:
                raise paths.Missing(f"there is no notebook {str(path)!r}.")
            lesson = lookup.find_lesson(path.name)
            path = paths.notebook_path(paths.exercises_folder(options.folder), lesson)
        return path, lambda: [path]
    folder = paths.exercises_folder(options.folder)
    names = progress.lesson_names()
    upcoming = progress.next_exercise(progress.course_progress(Record(folder)))
    lesson = upcoming.check.lesson if upcoming else names[0]
    notebooks = [folder / f"{name}.ipynb" for name in names]
    return paths.notebook_path(folder, lesson), lambda: [one for one in notebooks if one.is_file()]


def _watch(out: Console, first: Path, saved: Iterable[Path]) -> None:
    said = set[str]()
    _check(out, first, said)
    for path in saved:
        _check(out, path, said)


def _check(out: Console, path: Path, said: set[str]) -> None:
    """Check one notebook, keep what passed and show what is first to do."""
    from notebook_judge.grading.grader import grade_notebook  # here alone PyTorch is needed

    if out.is_terminal:
        with out.status(f"checking {path.name} …"):
            result = grade_notebook(path, path.name, SEED)
        out.clear()
    else:
        result = grade_notebook(path, path.name, SEED)
    record = Record(path.parent)
    for exercise in result.exercises:
        record.note_status(exercise.exercise, exercise.status.replace("follows", "wrong"))
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
    words = f"{done} of {len(result.exercises)} passed, {result.earned} of {result.max_points}"
    row = Table.grid(padding=(0, 2, 0, 0))
    row.add_row(f"{words} points", progress_table.bar(result.earned, result.max_points))
    return Group(title, row)


def _show_failure(out: Console, failed: ExerciseResult) -> None:
    out.print()
    out.print(Text(f"{failed.exercise}: {failed.status}", style="bold yellow"))
    for words in filter(None, (sentence(failed.headline), sentence(failed.lead))):
        out.print(words, soft_wrap=True)
    if failed.counterexample:
        out.print(failed.counterexample, soft_wrap=True)
    out.print(f"\nStuck? {course().name} hint {failed.exercise}")


def _onwards(lesson: str) -> str:
    lessons = progress.lesson_names()
    after = lessons[lessons.index(lesson) + 1 :]
    return f" Next lesson: {after[0]}." if after else " That was the last lesson."
