"""The commands ``exercises``, ``hint``, ``reset`` and ``solution``; ``watch`` from beside."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.syntax import Syntax

from notebook_judge.checks.card import Card
from notebook_judge.checks.panel import hint_panel
from notebook_judge.console import confirmed, console, refuse
from notebook_judge.course import course
from notebook_judge.learning import answers, lookup, paths, progress, progress_table
from notebook_judge.learning.record import Record

_NAMES = 'such as "attention.softmax", part of it that fits no other ("softmax"), or "2.1"'


def add_commands(commands: Any) -> None:
    """Add the learner's commands to the command line."""
    listed = _command(commands, "exercises", _exercises, "list the exercises and what is done")
    listed.add_argument("lesson", nargs="?", metavar="LESSON", help='only one, such as "02"')
    _watch_options(commands)
    hinted = _command(commands, "hint", _hint, "give the next hint for an exercise")
    hinted.add_argument("name", metavar="NAME", help=_NAMES)
    hinted.add_argument("number", nargs="?", type=int, metavar="NUMBER", help="one of the hints")
    emptied = _command(commands, "reset", _reset, "empty the answer to an exercise, after a copy")
    emptied.add_argument("name", metavar="NAME", help=_NAMES)
    emptied.add_argument("--yes", action="store_true", help="do not ask")
    solved = _command(commands, "solution", _solution, "show the course's answer to an exercise")
    solved.add_argument("name", metavar="NAME", help=_NAMES)
    solved.add_argument("--yes", action="store_true", help="do not ask, also before it is passed")


def _watch_options(commands: Any) -> None:
    watched = _command(commands, "watch", _watch, "check a notebook again whenever it is saved")
    watched.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="the notebook (default: whichever exercise notebook is saved)",
    )


def _command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], words: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
    assert isinstance(parser, argparse.ArgumentParser)
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="where your exercise notebooks are"
    )
    parser.set_defaults(run=lambda options: _carried_out(run, options))
    return parser


def _carried_out(run: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Run a command; if it cannot be carried out, say why and return 2."""
    try:
        return run(options)
    except (lookup.UnknownName, paths.Missing, answers.Unusable) as problem:
        return refuse(str(problem))
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return refuse(f"{where}{error.strerror or error}.")


def _watch(options: argparse.Namespace) -> int:
    from notebook_judge.learning import watch  # it judges, as no other command here does

    return watch.run(options)


def _exercises(options: argparse.Namespace) -> int:
    folder = paths.exercises_folder(options.folder)
    record = Record(folder)
    names = [lookup.find_lesson(options.lesson)] if options.lesson else progress.lesson_names()
    lessons = [progress.lesson_progress(name, record) for name in names]
    upcoming = progress.next_exercise(lessons)
    out = console()
    out.print(progress_table.lessons_table(lessons, upcoming))
    summary = progress_table.summary(lessons, upcoming, folder.name or str(folder))
    out.print(summary, soft_wrap=True)
    return 0


def _hint(options: argparse.Namespace) -> int:
    check = lookup.find_exercise(options.name)
    record = Record(paths.exercises_folder(options.folder))
    most = len(check.hints)
    if options.number is not None and not 1 <= options.number <= most:
        return refuse(f"{check.name} has hints 1 to {most}; there is no hint {options.number}.")
    given = record.entry(check.name).hints
    number = options.number or min(given + 1, most)
    record.note_hints(check.name, max(given, number))
    console().print(repr(hint_panel(check, number)), soft_wrap=True)
    return _said(record)


def _reset(options: argparse.Namespace) -> int:
    check = lookup.find_exercise(options.name)
    folder = paths.exercises_folder(options.folder)
    path = paths.notebook_path(folder, check.lesson)
    empty = answers.stub(check, paths.solutions_path(folder, check.lesson))
    out = console()
    record = Record(folder)
    if answers.is_empty(check, path, empty):
        record.forget(check.name)
        out.print(f"{check.name}: the answer in {path} is empty already.", soft_wrap=True)
        return 0
    question = f"Empty your answer `{check.answer}` in {path}? The notebook is copied first."
    if not (sure := confirmed(question, yes=options.yes)):
        return _unasked(check, "reset") if sure is None else _left(path)
    saved = answers.reset(check, path, empty)
    record.forget(check.name)
    out.print(
        f"{check.name}: emptied in {path}. As it was: {saved.name}\n"
        "If the notebook is open in JupyterLab: File, Reload Notebook from Disk.",
        soft_wrap=True,
    )
    return _said(record)


def _solution(options: argparse.Namespace) -> int:
    check = lookup.find_exercise(options.name)
    folder = paths.exercises_folder(options.folder)
    text = answers.solution(check, paths.solutions_path(folder, check.lesson))
    entry = Record(folder).entry(check.name)
    if not entry.passed_once:
        left = len(check.hints) - entry.hints
        hints = f" {left} hint{'s' * (left != 1)} left." if left > 0 else ""
        question = f"{check.name} has not passed yet.{hints} Show the solution all the same?"
        if not (sure := confirmed(question, yes=options.yes)):
            return _unasked(check, "solution") if sure is None else 1
    out = console()
    if out.is_terminal:
        code = Syntax("", "python", theme="ansi_dark", background_color="default").highlight(text)
        out.print(code, soft_wrap=True, end="")  # never cut, and in one piece when it is copied
    else:
        print(text)
    return 0


def _unasked(check: Card, command: str) -> int:
    return refuse(
        f"nobody is here to answer. `{course().name} {command} {check.name} --yes` does not ask."
    )


def _left(path: Path) -> int:
    print(f"{path} is as it was.")
    return 1


def _said(record: Record) -> int:
    """Say it if what was done cannot be kept; the command itself has worked."""
    if record.trouble:
        print(record.trouble, file=sys.stderr)
    return 0
