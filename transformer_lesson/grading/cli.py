"""``transformer-lesson``: the command line of the course."""

import argparse
import secrets
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from transformer_lesson.grading import notebooks, reports, table
from transformer_lesson.grading.grade import NotebookResult, grade
from transformer_lesson.grading.session import StartFailed
from transformer_lesson.grading.wire import clean

_EXAMPLE = """example:
  transformer-lesson grade submissions/ --out grades --seed 7

The seed decides which inputs the answers are called with. Without one each run draws its own,
prints it and writes it into grades.json, so that the run can be repeated.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns:
        0 if the grading itself worked, whatever the marks; 1 if the grader failed; 2 for a
        request that cannot be carried out; 130 after Ctrl-C.
    """
    options = _parser().parse_args(arguments)
    try:
        paths = notebooks.find(options.paths)
        options.out.mkdir(parents=True, exist_ok=True)
    except notebooks.NothingToGrade as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(
            f"cannot write to {str(options.out)!r}: {error.strerror}. Choose another --out."
        )
    return _grade_all(paths, options.out, options.seed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="transformer-lesson",
        description="Tools of the course “Transformer, built and measured”.",
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    grading = commands.add_parser(
        "grade",
        help="grade notebooks and write reports",
        description="Grade notebooks in processes of their own, and write reports.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    grading.add_argument("paths", nargs="+", metavar="PATH", help="notebook, folder or pattern")
    grading.add_argument(
        "--out",
        type=Path,
        default=Path("grades"),
        metavar="DIR",
        help="for reports (default: grades)",
    )
    grading.add_argument(
        "--seed", type=_seed, metavar="S", help="repeat the run that had this seed"
    )
    return parser


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 2**63):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 2**63 - 1")
    return int(text)


def _refuse(message: str) -> int:
    print(f"transformer-lesson: {message}", file=sys.stderr)
    return 2


def _grade_all(paths: Sequence[Path], out: Path, seed: int | None) -> int:
    seed = secrets.randbelow(2**31) if seed is None else seed
    run = reports.Run(
        seed, version("transformer-lesson"), datetime.now(UTC).isoformat(timespec="seconds")
    )
    console = table.console()
    results: list[NotebookResult] = []
    try:
        _show_progress(console, paths, run, out, results)
    except KeyboardInterrupt:
        written = f"Their reports are in {out}." if results else "Nothing was written."
        console.print(
            f"Stopped: {len(results)} of {len(paths)} notebooks graded. {written}", markup=False
        )
        return 130
    except StartFailed as error:
        print(f"transformer-lesson: {error}\nTry to set up the course again.", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"transformer-lesson: cannot write: {error}", file=sys.stderr)
        return 1
    if len(results) > 1:
        console.print(table.class_table(results))
    console.print(f"seed {seed}. Reports: {out}", markup=False)
    return int(any(result.status == "not graded" for result in results))


def _show_progress(
    console: Console,
    paths: Sequence[Path],
    run: reports.Run,
    out: Path,
    results: list[NotebookResult],
) -> None:
    """Grade one notebook after the other; after each, everything so far is written."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=len(paths))
        for path, name in zip(paths, notebooks.labels(paths), strict=True):
            bar.update(task, description=name)
            results.append(_grade_one(path, name, run.seed))
            reports.write(out, run, results)
            console.print(table.notebook_table(results[-1]))
            bar.advance(task)


def _grade_one(path: Path, name: str, seed: int) -> NotebookResult:
    """Grade a notebook; a fault of the grader itself is shown whole, and the others go on."""
    try:
        return grade(path, name, seed)
    except StartFailed:
        raise
    except Exception as fault:
        traceback.print_exc()
        reason = f"the grader itself failed: {type(fault).__name__}: {fault}. Please report it."
        return NotebookResult(name, clean(str(path), 4096), "not graded", clean(reason))


if __name__ == "__main__":
    sys.exit(main())
