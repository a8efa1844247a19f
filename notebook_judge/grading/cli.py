"""The command ``grade``: what it refuses and how it ends; ``options`` says what it takes."""

import argparse
import secrets
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from notebook_judge.console import refuse
from notebook_judge.grading import submissions
from notebook_judge.grading.deadlines import read_deadlines, read_rule
from notebook_judge.grading.jobs import Job, RunInfo, course_version, default_jobs, jobs_for
from notebook_judge.grading.learners import PLACEHOLDER, Roster, read_roster
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.overrides import Overrides, read_overrides
from notebook_judge.grading.runner import UNREAD, Runner
from notebook_judge.grading.sandbox import isolation
from notebook_judge.grading.sandbox.isolation import Isolation
from notebook_judge.grading.sandbox.launch import StartFailed
from notebook_judge.grading.store import InUse, Store
from notebook_judge.grading.tables import BadTable
from notebook_judge.grading.versions import exercise_version

NO_WALLS = 4  # the exit code where nothing but limits was to be had, unasked


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
