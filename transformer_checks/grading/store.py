"""The folder of a run: reports, and until the run is finished what was graded so far.

``.unfinished`` inside it exists only while a run is under way, or after one was interrupted. Each
result is a file of its own there, so that a notebook costs the same whether it is the first or the
three-hundredth. Its name tells under what circumstances the result came about; a result whose
circumstances still hold is taken over.
"""

import hashlib
import json
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from transformer_checks.grading.jobs import Job, RunInfo
from transformer_checks.grading.results import ExerciseResult, NotebookResult
from transformer_checks.sanitize import sanitize_line
from transformer_lesson.files import replacing


class InUse(RuntimeError):
    """Another run is writing into the same folder."""


class Store:
    """Writes into the folder of a run, each file whole or not at all.

    Attributes:
        folder: where the reports go.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._unfinished = folder / ".unfinished"
        self._lock = FileLock(self._unfinished / "lock", timeout=0)

    def __enter__(self) -> Self:
        """Make the folder, and keep other runs out of it.

        Raises:
            InUse: see there.
            OSError: the folder cannot be made or written to.
        """
        self._unfinished.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire()
        except Timeout as error:
            raise InUse("another run is writing into it") from error
        for left in self._unfinished.glob("*.new"):  # by a run that was killed
            left.unlink(missing_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def write(self, name: str, text: str) -> None:
        """Write a file of the folder whole or not at all."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, folder=self._unfinished) as new:
            new.write_text(text, encoding="utf-8", newline="")

    def interrupted(self) -> dict[str, Any] | None:
        """What the interrupted run in this folder began with, if there is one."""
        return _read(self._unfinished / "run.json")

    def begin(self, run: RunInfo) -> None:
        """Note what a run begins with, and what the folder holds of runs before it."""
        former = self.former() | _names(_read(self.folder / "grades.json"))
        self.write(".unfinished/run.json", json.dumps(asdict(run) | {"former": sorted(former)}))

    def former(self) -> set[str]:
        """Names of the notebooks that earlier runs have left reports of."""
        names = (self.interrupted() or {}).get("former", ())
        # They become file names, so none may lead out of the folder.
        return {name for name in names if isinstance(name, str) and Path(name).name == name}

    def remove(self, name: str) -> None:
        """Remove a file of the folder, and the folder that held it alone."""
        path = self.folder / name
        path.unlink(missing_ok=True)
        if path.parent != self.folder:
            with suppress(OSError):  # it holds something else
                path.parent.rmdir()

    def forget(self) -> None:
        """Drop the results of an interrupted run."""
        (self._unfinished / "run.json").unlink(missing_ok=True)
        for result in self._unfinished.glob("*.json"):
            result.unlink(missing_ok=True)

    def keep(self, run: RunInfo, job: Job, result: NotebookResult) -> None:
        """Store a result, unless the grader failed: then the next run tries again."""
        if result.status != "not graded":
            self.write(f".unfinished/{_key(run, job)}.json", json.dumps(asdict(result)))

    def find(self, run: RunInfo, jobs: Iterable[Job]) -> dict[Job, NotebookResult]:
        """Results that were stored under the circumstances of this run."""
        found = {}
        for job in jobs:
            stored = _read(self._unfinished / f"{_key(run, job)}.json")
            if result := stored and _result(stored):
                found[job] = replace(result, name=job.name, path=sanitize_line(str(job.path)))
        return found

    def finish(self) -> None:
        """Remove what only an interrupted run needs."""
        self.forget()
        shutil.rmtree(self._unfinished, ignore_errors=True)


def _key(run: RunInfo, job: Job) -> str:
    about = (run.seed, run.course, run.isolation, run.lesson, run.carried)
    parts = (*about, job.path.absolute(), job.content)
    return hashlib.sha256("\0".join(map(str, parts)).encode(errors="surrogateescape")).hexdigest()


def _read(path: Path) -> dict[str, Any] | None:
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return plain if isinstance(plain, dict) else None


def _names(report: dict[str, Any] | None) -> set[str]:
    """The notebooks in a grades.json."""
    notebooks = (report or {}).get("notebooks")
    if not isinstance(notebooks, list):
        return set()
    return {str(one.get("name")) for one in notebooks if isinstance(one, dict)}


def _result(plain: dict[str, Any]) -> NotebookResult | None:
    try:
        exercises = tuple(ExerciseResult(**exercise) for exercise in plain.pop("exercises"))
        notes = tuple(plain.pop("notes", ()))
        return NotebookResult(**plain, exercises=exercises, notes=notes)
    except (KeyError, TypeError):  # another version of the course wrote it
        return None
