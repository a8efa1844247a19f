"""What the command ``grade`` takes. Whoever asks for help loads no PyTorch."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from notebook_judge.catalogue import catalogue
from notebook_judge.course import course
from notebook_judge.grading.jobs import DEFAULT_MAX_JOBS
from notebook_judge.grading.limits import Limits


def add_commands(commands: Any) -> None:
    """Add ``grade`` to the command line."""
    grading = commands.add_parser(
        "grade",
        help="grade notebooks and write reports",
        description="Grade notebooks in processes of their own, and write reports.",
        epilog=(Path(__file__).parent / "grade.txt").read_text("utf-8").format(name=course().name),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    grading.set_defaults(run=_run)
    grading.add_argument("paths", nargs="+", metavar="PATH", help="notebook, folder or pattern")
    grading.add_argument(
        "--out", type=Path, default=Path("grades"), metavar="DIR", help="for reports (%(default)s)"
    )
    grading.add_argument(
        "--jobs",
        type=_jobs,
        metavar="N",
        help=f"notebooks at a time (one more than processors, at most {DEFAULT_MAX_JOBS})",
    )
    grading.add_argument(
        "--seed", type=_seed, metavar="S", help="repeat the run that had this seed"
    )
    grading.add_argument(
        "--isolation",
        choices=("auto", "require", "limits"),
        default="auto",
        help="how the notebooks' code is isolated: as strongly as this machine allows (auto); the "
        "same, but refuse to run without namespaces (require); by resource limits alone (limits)",
    )
    grading.add_argument(
        "--lesson",
        choices=list(catalogue().lessons),
        metavar="NAME",
        default="",
        help="what the notebooks answer, such as 02_self_attention, where they do not say so",
    )
    grading.add_argument(
        "--carried",
        type=_percent,
        metavar="PERCENT",
        default=100,
        help="of its points for an answer that is wrong only because an earlier one is "
        "(%(default)s)",
    )
    grading.add_argument(
        "--learners",
        metavar="WHO",
        help="whose the notebooks are: a CSV table of the class, or a pattern such as "
        "'{learner}_*.ipynb'; see below",
    )
    grading.add_argument(
        "--overrides",
        type=Path,
        metavar="CSV",
        help="points and comments that you give by hand; the file is only read; see below",
    )
    grading.add_argument(
        "--due", default="", metavar="WHEN", help="2030-03-01T23:59, or a CSV of dates; see below"
    )
    grading.add_argument(
        "--late",
        default="",
        metavar="RULE",
        help="what lateness costs, such as 10%%/day or '10%%/day, at most 50%%' (nothing)",
    )
    grading.add_argument(
        "--fresh", action="store_true", help="forget the results and the seed of earlier runs"
    )
    grading.add_argument(
        "--accept", action="store_true", help="let exercises that have changed change points"
    )
    grading.add_argument(
        "--limit",
        action="append",
        type=_limit,
        default=[],
        metavar="NAME=NUMBER",
        help="what a notebook may take, seconds or bytes; docs/grading.md lists names and defaults",
    )


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) < 2**63):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 2**63 - 1")
    return int(text)


def _percent(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 4 and int(text) <= 100):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 100")
    return int(text)


def _limit(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    kinds: dict[str, Any] = {name: type(value) for name, value in asdict(Limits()).items()}
    try:
        value = kinds[name](number)
    except (KeyError, ValueError):
        value = 0
    if not 0 < value < 2**60:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no limit; give a number above 0 to one of {', '.join(kinds)}"
        )
    return name, value


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 4 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 999")
    return int(text)


def _run(options: argparse.Namespace) -> int:
    from notebook_judge.grading import cli  # it loads PyTorch, which no help needs

    return cli.run(options)
