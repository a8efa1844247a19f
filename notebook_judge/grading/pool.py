"""Grade several notebooks at a time, in threads; a stop ends all their workers at once."""

import gc
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from threading import Event, Lock
from weakref import WeakSet

import torch

from notebook_judge.grading.grader import grade_notebook
from notebook_judge.grading.jobs import Job, RunInfo
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.notebook_session import all_answers
from notebook_judge.grading.results import NotebookResult
from notebook_judge.grading.sandbox.isolation import Isolation
from notebook_judge.grading.sandbox.launch import StartFailed, WorkerProcess
from notebook_judge.sanitize import sanitize, sanitize_line

_STILL_HINDERED = (
    "the machine was too busy: something ran out of time that it was not given. Grade it again, "
    "with `--fresh`, when less runs beside it"
)


@dataclass(frozen=True)
class StoppableIsolation(Isolation):
    """An isolation all of whose workers can be ended at once, from any thread.

    Attributes:
        stopped: whether that has happened.
    """

    stopped: Event = field(default_factory=Event, compare=False)
    # Those that somebody still talks with: a notebook may have several.
    _workers: WeakSet[WorkerProcess] = field(default_factory=WeakSet, compare=False)
    _lock: Lock = field(default_factory=Lock, compare=False)

    def start(self, limits: Limits) -> WorkerProcess:
        """Start a worker.

        Raises:
            StartFailed: see ``Isolation.start``; and always after ``stop``.
        """
        worker = None if self.stopped.is_set() else super().start(limits)
        with self._lock:
            if worker and not self.stopped.is_set():
                self._workers.add(worker)
                return worker
        if worker:
            worker.end(wait=0)
        raise StartFailed("grading was stopped")

    def stop(self) -> None:
        """End the workers; threads that wait for a reply see that the worker is gone."""
        with self._lock:
            self.stopped.set()
            workers = list(self._workers)
        for worker in workers:
            worker.end(wait=0)


def grade_all(
    jobs: Sequence[Job],
    run: RunInfo,
    isolation: Isolation,
    keep: Callable[[Job, NotebookResult], NotebookResult],
) -> Iterator[tuple[Job, NotebookResult]]:
    """Grade notebooks, several at a time; yield each as it is done.

    Where something ran out of time on a machine that others kept busy, the notebook is graded once
    more as soon as no other waits for its turn, and alone at the end if that was not enough. Until
    then its result is provisional: it is yielded as ``hindered``, and not kept. One that is
    hindered to the last counts, with a note for the teacher.

    Args:
        jobs: the notebooks.
        run: the seed, the lesson if the teacher decided it, and how many at a time.
        isolation: how their code is isolated.
        keep: called with each result by the thread that has graded it; returns the one that counts.

    Raises:
        StartFailed: no worker can be started on this machine.
        OSError: a result cannot be kept.

    Whatever ends the loop early, Ctrl-C too, ends the workers; notebooks under way are dropped.
    """
    torch.set_num_threads(1)  # the judge's arrays are tiny, and the jobs share the processors
    all_answers()  # reads the catalogue here, where otherwise each thread would
    gc.freeze()  # what is loaded stays: no search for garbage goes through it again
    sys.setswitchinterval(5e-4)  # a thread that got a reply does not wait for one that judges
    stoppable = StoppableIsolation(isolation.name, isolation.description, isolation.mode)
    stopped = stoppable.stopped

    def one(job: Job, alone: bool) -> NotebookResult | None:
        try:
            result = None if stopped.is_set() else _grade_one(job, run, stoppable)
            if result is None or stopped.is_set():  # then its worker was ended meanwhile
                return None
            if result.hindered and not alone:
                return result
            notes = (*result.notes, _STILL_HINDERED) if result.hindered else result.notes
            return keep(job, replace(result, hindered=False, notes=notes))
        except BaseException:  # it will end the run: let no other notebook begin
            stopped.set()
            raise

    pool = ThreadPoolExecutor(run.jobs, thread_name_prefix="grade")
    left = {pool.submit(one, job, len(jobs) == 1): job for job in jobs}
    turns = _Turns(run.jobs)
    try:
        while left:
            for future in _done(left):
                job = left.pop(future)
                result = future.result()
                if result:
                    turns.note(job, result)
                    yield job, result
            if again := turns.next(list(left.values())):
                left[pool.submit(one, again, not left)] = again
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        if left:
            stoppable.stop()
        pool.shutdown(wait=True)


@dataclass
class _Turns:
    """Whose turn it is to be graded once more: one at a time, and nobody waits for the slowest.

    Attributes:
        jobs: how many notebooks are graded at a time.
    """

    jobs: int
    _beside: deque[Job] = field(default_factory=deque)  # beside whatever still runs
    _alone: deque[Job] = field(default_factory=deque)
    _had_one: set[Job] = field(default_factory=set)

    def note(self, job: Job, result: NotebookResult) -> None:
        """Note what came of a notebook."""
        if result.hindered:
            (self._alone if job in self._had_one else self._beside).append(job)

    def next(self, running: Sequence[Job]) -> Job | None:
        """The one that may begin, if these have not ended yet."""
        free = len(running) < self.jobs and not self._had_one & {*running}
        if self._beside and free:
            job = self._beside.popleft()
            self._had_one.add(job)
            return job
        return self._alone.popleft() if self._alone and not running else None


def _done(futures: dict[Future[NotebookResult | None], Job]) -> set[Future[NotebookResult | None]]:
    # With a limit, because on Windows a wait without one does not notice Ctrl-C.
    while not (done := wait(futures, timeout=0.5, return_when=FIRST_COMPLETED).done):
        pass
    return done


def _grade_one(job: Job, run: RunInfo, isolation: StoppableIsolation) -> NotebookResult | None:
    """Grade a notebook; a fault of the grader itself is shown whole, and the others go on.

    Returns:
        The result; None if grading was stopped meanwhile.
    """
    started = time.monotonic()
    if job.refused:
        where = sanitize_line(str(job.path))
        return NotebookResult(job.name, where, "unreadable", job.refused)
    try:
        return grade_notebook(
            job.path,
            job.name,
            run.seed,
            limits=run.limits,
            isolation=isolation,
            lesson=run.lesson,
            carried=run.carried,
        )
    except StartFailed:
        if isolation.stopped.is_set():
            return None
        raise
    except Exception as fault:
        if isolation.stopped.is_set():
            return None
        print(sanitize(traceback.format_exc()), file=sys.stderr)
        reason = f"the grader itself failed: {type(fault).__name__}: {fault}. Please report it."
        return NotebookResult(
            job.name,
            sanitize_line(str(job.path)),
            "not graded",
            sanitize_line(reason)[:400],
            seconds=time.monotonic() - started,
        )
