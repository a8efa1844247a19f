"""``transformer-lesson grade``: what it takes, what it refuses, and how it ends."""

import argparse
import secrets
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from transformer_checks import catalogue
from transformer_checks.console import refuse
from transformer_checks.grading import submissions
from transformer_checks.grading.deadlines import read_deadlines, read_rule
from transformer_checks.grading.jobs import (
    DEFAULT_MAX_JOBS,
    Job,
    RunInfo,
    course_version,
    default_jobs,
    jobs_for,
)
from transformer_checks.grading.learners import PLACEHOLDER, Roster, read_roster
from transformer_checks.grading.limits import Limits
from transformer_checks.grading.overrides import Overrides, read_overrides
from transformer_checks.grading.runner import UNREAD, Runner
from transformer_checks.grading.sandbox import isolation
from transformer_checks.grading.sandbox.isolation import Isolation
from transformer_checks.grading.sandbox.launch import StartFailed
from transformer_checks.grading.store import InUse, Store
from transformer_checks.grading.tables import BadTable
from transformer_checks.grading.versions import exercise_version

NO_WALLS = 4  # the exit code where nothing but limits was to be had, unasked


def add_commands(commands: Any) -> None:
    """Add ``grade`` to the command line."""
    grading = commands.add_parser(
        "grade",
        help="grade notebooks and write reports",
        description="Grade notebooks in processes of their own, and write reports.",
        epilog=(Path(__file__).parent / "grade.txt").read_text("utf-8"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    grading.set_defaults(run=run)
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
        choices=list(catalogue.LESSONS),
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
        help="what a notebook may take, seconds or bytes; the README lists names and defaults",
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


def run(options: argparse.Namespace) -> int:
    """Grade what the options name; the exit codes are in ``grade.txt``."""
    started = time.monotonic()
    out = str(options.out)
    try:
        for given in (options.learners, options.overrides, options.due):
            if given and PLACEHOLDER not in str(given):
                _keep_apart(Path(given), options.out)
        roster = read_roster(options.learners) if options.learners else Roster()
        jobs = jobs_for(submissions.find(options.paths, options.out), roster)
        learners = {job.learner for job in jobs} | roster.table.keys()
        by_hand = options.overrides
        overrides = read_overrides(by_hand, learners) if by_hand else Overrides()
        isolated = isolation.choose(options.isolation)
        deadlines = read_deadlines(options.due, read_rule(options.late), learners)
        with _signals_as_interrupt(), Store(options.out, options.accept) as store:
            taken, begun = _begin(options, store, jobs, isolated)
            runner = Runner(store, begun, jobs, taken, started, roster, overrides, deadlines)
            code = _carry_out(runner, isolated)
        unasked = isolated == isolation.LIMITS and options.isolation == "auto"
        return NO_WALLS if unasked and code in (0, UNREAD) else code
    except (submissions.NothingToGrade, isolation.NotIsolated, BadTable) as error:
        return refuse(str(error))
    except (InUse, OSError) as error:
        return refuse(f"cannot write to {out!r}: {_reason(error)}. Choose another --out.")
    except KeyboardInterrupt:
        return 130


def _keep_apart(given: Path, out: Path) -> None:
    """Make sure that no report replaces a file of the teacher's.

    Raises:
        BadTable: it lies in the folder of the reports.
    """
    if given.exists() and out.resolve() in given.resolve().parents:
        raise BadTable(
            f"{str(given)!r} lies in the folder of the reports, whose files a run replaces. "
            "Keep it elsewhere"
        )


def _begin(
    options: argparse.Namespace, store: Store, jobs: Sequence[Job], isolated: Isolation
) -> tuple[dict[Job, Any], RunInfo]:
    """Decide the seed, and what is taken over from earlier runs."""
    if options.fresh:
        store.forget()
    before = store.before() or {}
    seed = next(
        (s for s in (options.seed, before.get("seed")) if s is not None), secrets.randbelow(2**31)
    )
    begun = RunInfo(
        seed,
        course_version(),
        datetime.now(UTC).isoformat(timespec="seconds"),
        course=exercise_version("", seed),
        isolation=isolated.name,
        walls=isolated.description,
        lesson=options.lesson,
        carried=options.carried / 100,
        limits=Limits(**dict(options.limit)),
        jobs=min(options.jobs or default_jobs(), len(jobs)),
        expected=len(jobs),
        hidden=submissions.hidden(options.paths, options.out),
    )
    taken = store.find(begun, jobs)
    store.begin(begun)
    return taken, replace(begun, taken_over=len(taken))


def _carry_out(runner: Runner, isolated: Isolation) -> int:
    """Grade, and say how it ended."""
    try:
        try:
            runner.grade(isolated)
            return runner.close()
        except KeyboardInterrupt:
            return runner.stop()
    except StartFailed as error:
        return refuse(f"{error}\nTry to set up the course again.", 1)
    except OSError as error:
        kept = "What was graded until then is kept: make room, then give the same command again."
        return refuse(f"cannot write to {str(runner.folder)!r}: {_reason(error)}. {kept}", 1)


def _reason(error: Exception) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return "it is a file, or lies below one"
    return getattr(error, "strerror", None) or str(error)


@contextmanager
def _signals_as_interrupt() -> Iterator[None]:
    """Let a polite request to end (SIGTERM, a closed terminal) stop the run as Ctrl-C does."""

    def interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    try:
        before = {getattr(signal, n): signal.signal(getattr(signal, n), interrupt) for n in names}
    except ValueError:  # not in the main thread: whoever runs us there handles signals
        before = {}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
