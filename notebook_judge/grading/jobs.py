"""What is to be graded, and the circumstances of the run that grades it."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, distributions, version
from pathlib import Path

from notebook_judge.course import course
from notebook_judge.grading import submissions
from notebook_judge.grading.learners import Roster
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.sandbox.reading import Unreadable

DEFAULT_MAX_JOBS = 4  # each job holds PyTorch


@dataclass(frozen=True)
class RunInfo:
    """What is the same for all notebooks of a run, for those who read its reports.

    Attributes:
        seed: gives the same inputs again.
        version: of the course.
        time: when the run began, ISO 8601 in UTC.
        course: version of the judge, which changes with its code.
        isolation: how the notebooks were kept apart from the machine: its name.
        walls: the same in a sentence. The reports in JSON have this key.
        jobs: how many notebooks were graded at a time.
        expected: how many notebooks there are; more than there are results if it was interrupted.
        taken_over: how many results were there before.
        seconds: what it took.
        lesson: what all notebooks answer, where the teacher decided it.
        carried: the share of its points that an answer gets which follows from an earlier one.
        limits: what a notebook may take.
        hidden: what was left out of the folders that were given.
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
    lesson: str = ""
    carried: float = 1.0
    limits: Limits = field(default_factory=Limits)
    hidden: Sequence[str] = ()


@dataclass(frozen=True)
class Job:
    """A notebook to be graded.

    Attributes:
        path: where it lies, as it was given.
        name: see ``NotebookResult``.
        content: see ``NotebookResult``.
        refused: see ``submissions.File``.
        learner: whose it is.
        called: whose its place says it is, which may be a copy's name.
    """

    path: Path
    name: str
    content: str
    refused: str = ""
    learner: str = ""
    called: str = ""


def jobs_for(files: Sequence[submissions.File], roster: Roster) -> list[Job]:
    """A job for each file, in the order of the names; what is graded has the shorter ones."""
    files = sorted(files, key=lambda file: bool(file.refused))
    paths = [file.path for file in files]
    names = submissions.labels(paths)
    owners = roster.owners(paths, names)
    called = [name for name, _ in roster.called(paths, names)]
    jobs = [
        Job(file.path, name, _content(file), file.refused, owner, its)
        for file, name, owner, its in zip(files, names, owners, called, strict=True)
    ]
    return sorted(jobs, key=lambda job: job.name.casefold())


def _content(file: submissions.File) -> str:
    """The fingerprint of what stands in a file; empty if it is not graded or cannot be read."""
    try:
        return "" if file.refused else submissions.fingerprint(submissions.text_of(file.path))
    except Unreadable:
        return ""


@cache
def installed() -> str:
    """Changes with the packages that a notebook can import here, and with their versions."""
    packages = sorted(f"{one.name} {one.version}" for one in distributions())
    return hashlib.sha256("\n".join(packages).encode()).hexdigest()[:16]


def course_version() -> str:
    """The version of the course's distribution; empty where it runs from its folder alone."""
    try:
        return version(course().name)
    except PackageNotFoundError:
        return ""


def default_jobs() -> int:
    """One more than the processors that this process may use, up to ``DEFAULT_MAX_JOBS``.

    While one notebook's answers are judged, or its worker starts, another keeps the processor busy.
    """
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min((usable or 1) + 1, DEFAULT_MAX_JOBS)
