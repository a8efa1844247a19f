"""A run: which notebooks, under what circumstances, and grading several at a time."""

import hashlib
import os
import stat
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import torch

from transformer_checks import PACKAGES
from transformer_checks.grading import notebooks
from transformer_checks.grading.grade import NotebookResult, grade
from transformer_checks.grading.isolation import Isolation
from transformer_checks.grading.launch import StartFailed
from transformer_checks.grading.legible import legible, one_line
from transformer_checks.grading.stoppable import Stoppable

MOST_JOBS = 4  # by default: each job holds PyTorch


@dataclass(frozen=True)
class Run:
    """What is the same for all notebooks of a run, for those who read its reports.

    Attributes:
        seed: gives the same inputs again.
        version: of the course.
        time: when the run began, ISO 8601 in UTC.
        course: fingerprint of the course's code and of what it computes with.
        isolation: what kept the notebooks apart from the machine.
        walls: the same in words.
        jobs: how many notebooks were graded at a time.
        expected: how many notebooks there are; more than there are results if it was interrupted.
        taken_over: how many results come from an interrupted run before it.
        seconds: what it took, without that interrupted run.
    """

    seed: int
    version: str
    time: str
    course: str = ""
    isolation: str = ""
    walls: str = ""
    jobs: int = 1
    expected: int = 0
    taken_over: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Job:
    """A notebook to be graded.

    Attributes:
        path: where it lies, as it was given.
        name: see ``NotebookResult``.
        content: fingerprint of the file.
    """

    path: Path
    name: str
    content: str


def jobs_for(paths: Sequence[Path]) -> list[Job]:
    """A job for each path, in the order of the names."""
    jobs = [
        Job(path, name, _content(path))
        for path, name in zip(paths, notebooks.labels(paths), strict=True)
    ]
    return sorted(jobs, key=lambda job: job.name.casefold())


def _content(path: Path) -> str:
    """The fingerprint of a file; of what cannot be read, what kind of thing it is."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):  # to open a pipe would wait for ever
            return f"mode {stat.S_IFMT(mode)}"
        with path.open("rb") as file:
            head = file.read(notebooks.LARGEST + 1)
            return f"{hashlib.sha256(head).hexdigest()} {os.fstat(file.fileno()).st_size}"
    except OSError as error:
        return f"error {error.errno}"


@cache
def course_fingerprint() -> str:
    """Changes with the course's code, with PyTorch, and with Python."""
    whole = hashlib.sha256(f"{torch.__version__} {sys.version}".encode())
    for folder in PACKAGES:
        for path in sorted(folder.rglob("*.py")):
            place = str(path.relative_to(folder.parent)).encode()
            whole.update(place + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()[:16]


def course_version() -> str:
    return version("transformer-lesson")


def usual_jobs() -> int:
    """One for each processor that this process may use, up to ``MOST_JOBS``."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(usable or 1, MOST_JOBS))


def grade_all(
    jobs: Sequence[Job],
    seed: int,
    isolation: Isolation,
    at_once: int,
    keep: Callable[[Job, NotebookResult], None],
) -> Iterator[tuple[Job, NotebookResult]]:
    """Grade notebooks, several at a time; yield each as it is done.

    Args:
        keep: called with each result, in the thread that graded it, before anything else is done
            with it.

    Raises:
        StartFailed: no worker can be started on this machine.
        OSError: a result cannot be kept.

    Whatever ends the loop early, Ctrl-C too, ends the workers; notebooks under way are dropped.
    """
    torch.set_num_threads(1)  # the judge's arrays are tiny, and the jobs share the processors
    walls = Stoppable(isolation.name, isolation.meaning, isolation.walls)

    def one(job: Job) -> NotebookResult | None:
        try:
            result = None if walls.stopped.is_set() else grade_one(job, seed, walls)
            if result is None or walls.stopped.is_set():  # then its worker was ended under it
                return None
            keep(job, result)
        except BaseException:  # it will end the run: let no other notebook begin
            walls.stopped.set()
            raise
        return result

    pool = ThreadPoolExecutor(at_once, thread_name_prefix="grade")
    left = {pool.submit(one, job): job for job in jobs}
    try:
        while left:
            for future in _done(left):
                job = left.pop(future)
                if result := future.result():
                    yield job, result
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        if left:
            walls.stop()
        pool.shutdown(wait=True)


def _done(futures: dict[Future[NotebookResult | None], Job]) -> set[Future[NotebookResult | None]]:
    # With a limit, because on Windows a wait without one does not notice Ctrl-C.
    while not (done := wait(futures, timeout=0.5, return_when=FIRST_COMPLETED).done):
        pass
    return done


def grade_one(job: Job, seed: int, isolation: Stoppable) -> NotebookResult | None:
    """Grade a notebook; a fault of the grader itself is shown whole, and the others go on.

    Returns:
        The result; None if grading was stopped meanwhile.
    """
    started = time.monotonic()
    try:
        return grade(job.path, job.name, seed, isolation=isolation)
    except StartFailed:
        if isolation.stopped.is_set():
            return None
        raise
    except Exception as fault:
        if isolation.stopped.is_set():
            return None
        print(legible(traceback.format_exc()), file=sys.stderr)
        reason = f"the grader itself failed: {type(fault).__name__}: {fault}. Please report it."
        return NotebookResult(
            job.name,
            one_line(str(job.path)),
            "not graded",
            one_line(reason)[:400],
            seconds=time.monotonic() - started,
        )
