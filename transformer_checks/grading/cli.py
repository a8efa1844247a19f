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
    exercise_version,
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

NO_WALLS = 4  # the exit code where nothing but limits was to be had, unasked

_EPILOG = """example:
  transformer-lesson grade submissions/ --out grades --jobs 4

DIR holds the reports of one run; the next run replaces them:
  index.html                      for the teacher: learners and lessons, what was hard and why
  feedback/NAME.html              for the learner: verdicts, the first thing to mend, the code
  class.csv, grades.csv           a row for each notebook; a row for each exercise of each
  grades.json, junit.xml          everything; for continuous integration
  gradebook/canvas.csv, moodle.csv, nbgrader.csv
                                  a learner's points in each lesson, as these gradebooks take them
  gradescope/NAME/results.json    for Gradescope
  upload/moodle_FOLDER.zip        feedback as Moodle and Canvas take it back, one archive for each
    and canvas_, and nbgrader.zip   download; for all others nbgrader's folders of learners

A notebook belongs to the learner that the first folder below their common one names, or else its
own name without the lesson: anna/02_self_attention.ipynb and anna_02_self_attention.ipynb are
anna's; the names that Moodle and Canvas give to what they download are known. --learners decides
otherwise: by a pattern for the end of the path, or by a table. Its column learner is needed. The
column files may name a learner's folder or files (anna_*.ipynb); without it learner, login, email,
number or id are compared with what folders and files say. name, email, login, number (SIS User ID,
ID number), id (Canvas's) and section go into the gradebooks' files. Of several notebooks of one
learner and lesson the best counts.

--overrides reads a CSV with the columns learner, exercise, points, comment: leave points or comment
empty where there is nothing to say.

--due gives the date for all, or a CSV with the columns lesson, due and, for who has another date,
learner. When a notebook came, nbgrader's folder says, or else the file's own time; Canvas's LATE
counts. --late says what lateness costs: 10%/day takes a tenth of the points for each day begun.

The seed decides which inputs the answers are called with. DIR keeps the one that its first run
draws; it stands in the reports, so that the run can be repeated elsewhere with --seed.

DIR keeps every result too. The same command again, after an interruption, with late files, or with
another --overrides, grades only what is new: nobody else's points move. --fresh forgets the results
and the seed. Where the exercises have changed since, notebooks are graded again, but their points
stay until you give --accept; before, the command and the page say whose would change, and how.

exit codes:
  0    every file is graded, whatever the marks
  1    the grader failed: on a notebook, or because it could not write or start; what was graded
       is kept, and the same command goes on from there
  2    the request cannot be carried out; nothing was changed
  3    a file could not be graded; it has a line that says why, and all others are graded
  4    all is graded, but without walls: this machine has none, and --isolation limits was not given
  130  stopped by Ctrl-C or by the system; what was graded is kept
"""


def add_commands(commands: Any) -> None:
    """Add ``grade`` to the command line."""
    grading = commands.add_parser(
        "grade",
        help="grade notebooks and write reports",
        description="Grade notebooks in processes of their own, and write reports.",
        epilog=_EPILOG,
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
        help=f"notebooks at a time (one for each processor, at most {DEFAULT_MAX_JOBS})",
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
    """Grade what the options name; the exit codes are in ``_EPILOG``."""
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
        course=exercise_version(""),
        isolation=isolated.name,
        walls=isolated.description,
        lesson=options.lesson,
        carried=options.carried / 100,
        limits=Limits(**dict(options.limit)),
        jobs=min(options.jobs or default_jobs(), len(jobs)),
        expected=len(jobs),
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
