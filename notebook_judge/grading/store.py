"""The folder of a class: reports, and every result, so that none is found out twice.

Each result is a file of its own in ``.kept``, so that a notebook costs the same whether it is the
first or the three-hundredth. All that it depends on:

- what the notebook says: the fingerprint of the text that was judged, read from the file itself.
  What is no regular file, or is refused by its name, has none, so nothing of it is kept; neither is
  that a file cannot be read, which may hang on where it lies, and is found out quickly;
- the run: seed, isolation, lesson, carried share and limits. With any other a notebook is graded
  anew;
- the exercises and the judge (``exercise_version``), and the installed packages (``installed``).
  With others a notebook is graded again, but what this would change waits until the teacher
  accepts it.

The name of a notebook changes no result. It is in the key so that each of two that say the same
keeps its own; one that is new, or called otherwise than before, takes over what another has.
Learners, deadlines and what is decided by hand are applied after it, in every run.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from careful_io import replacing
from notebook_judge.grading.jobs import Job, RunInfo, installed
from notebook_judge.grading.results import ExerciseResult, Lateness, NotebookResult
from notebook_judge.grading.versions import exercise_version
from notebook_judge.sanitize import sanitize_line

_RESULTS = "?" * 64 + ".json"  # names of the files: what a result depends on, and whose it is
_ON = 48  # letters for the former


class InUse(RuntimeError):
    """Another run is writing into the same folder."""


class Store:
    """Writes into the folder of a run, each file whole or not at all.

    Attributes:
        folder: where the reports go.
        changes: by the name of a notebook, what has changed since it was graded, and which points
            this would change.
    """

    def __init__(self, folder: Path, accept: bool = False) -> None:
        """``accept``: whether new exercises or packages may change marks."""
        self.folder, self.changes = folder, dict[str, str]()
        self._accept = accept
        self._kept = folder / ".kept"
        self._lock = FileLock(self._kept / "lock", timeout=0)
        self._alike = dict[str, Path]()  # by what a result depends on, one of an earlier run

    def __enter__(self) -> Self:
        """Make the folder, and keep other runs out of it.

        Raises:
            InUse: see there.
            OSError: the folder cannot be made or written to.
        """
        self._kept.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire()
        except Timeout as error:
            raise InUse("another run is writing into it") from error
        for left in self._kept.glob("*.new"):  # by a run that was killed
            left.unlink(missing_ok=True)
        self._alike = {path.name[:_ON]: path for path in sorted(self._kept.glob(_RESULTS))}
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def write(self, name: str, text: str | bytes) -> None:
        """Write a file of the folder whole or not at all."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, folder=self._kept) as new:
            new.write_bytes(text.encode() if isinstance(text, str) else text)

    def before(self) -> dict[str, Any] | None:
        """What the last run in this folder began with, if there is one."""
        return _read(self._kept / "run.json")

    def begin(self, run: RunInfo) -> None:
        """Note what a run begins with, and what the folder holds of runs before it."""
        former = self.former() | _names(_read(self.folder / "grades.json"))
        self.write(".kept/run.json", json.dumps(asdict(run) | {"former": sorted(former)}))

    def former(self) -> set[str]:
        """Names of the notebooks that earlier runs have left reports of."""
        names = (self.before() or {}).get("former", ())
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
        """Drop all results."""
        (self._kept / "run.json").unlink(missing_ok=True)
        for result in self._kept.glob("*.json"):
            result.unlink(missing_ok=True)

    def keep(self, run: RunInfo, job: Job, result: NotebookResult) -> NotebookResult:
        """Store the result of a notebook that was graded; all others the next run finds out again.

        Returns:
            The one that counts: where new exercises or packages give other marks and the teacher
            has not accepted them, the former.
        """
        if result.status != "graded":
            return result
        job = replace(job, content=result.content)  # it may have changed since it was listed
        new = _circumstances(run, result) | {"result": asdict(result)}
        stored = self._stored(run, job)
        former = _result(stored.get("result"))
        since = _since(stored, new, job.name)
        if former and since and not self._accept and (change := _change(former, result)):
            self.changes[job.name] = f"{since}; with --accept its points change: {change}"
            stored["proposed"] = new
            result = _named(former, job)
        else:
            stored = new
        self.write(f".kept/{self._path(run, job).name}", json.dumps(stored))
        return result

    def find(self, run: RunInfo, jobs: Iterable[Job]) -> dict[Job, NotebookResult]:
        """Results that were stored under the circumstances of this run."""
        found = {}
        for job in jobs:
            stored = self._stored(run, job)
            for one in (stored, stored.get("proposed") or {}):
                result = _result(one.get("result"))
                if result and not _since(one, _circumstances(run, result), job.name):
                    # What was proposed may be accepted now.
                    found[job] = self.keep(run, job, _named(result, job))
        return found

    def finish(self, run: RunInfo, jobs: Iterable[Job]) -> None:
        """Drop results of notebooks that are there no more."""
        current = {self._path(run, job) for job in jobs}
        for path in self._kept.glob(_RESULTS):
            if path not in current:
                path.unlink()

    def _stored(self, run: RunInfo, job: Job) -> dict[str, Any]:
        """What is kept of a notebook, or else of another that says the same."""
        own = self._path(run, job)
        other = self._alike.get(own.name[:_ON], own)
        return (job.content and (_read(own) or _read(other))) or {}

    def _path(self, run: RunInfo, job: Job) -> Path:
        on = (run.seed, run.isolation, run.lesson, run.carried, run.limits, job.content)
        return self._kept / f"{_digest(*on)[:_ON]}{_digest(job.name)[_ON:]}.json"


def _digest(*parts: object) -> str:
    text = "\0".join(map(str, parts))
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


def _circumstances(run: RunInfo, result: NotebookResult) -> dict[str, str]:
    """What a result also depends on, and a teacher does not choose."""
    return {"version": exercise_version(result.lesson, run.seed), "packages": installed()}


def _since(one: Mapping[str, Any], other: Mapping[str, Any], name: str) -> str:
    """What differs between the circumstances of two results, in words; empty if nothing does."""
    if one.get("version") != other.get("version"):
        return f"the exercises of {name} have changed since it was graded"
    if one.get("packages") != other.get("packages"):
        return f"the packages of this machine have changed since {name} was graded"
    return ""


def _named(result: NotebookResult, job: Job) -> NotebookResult:
    return replace(result, name=job.name, path=sanitize_line(str(job.path)))


def _change(former: NotebookResult, result: NotebookResult) -> str:
    """Which points two results differ in, in words; empty if in none."""
    before = {one.exercise: one.points for one in former.exercises}
    after = {one.exercise: one.points for one in result.exercises}
    return ", ".join(
        f"{name} {before.get(name, 0)} → {after.get(name, 0)}"
        for name in before | after
        if before.get(name, 0) != after.get(name, 0)
    )


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


def _result(plain: Any) -> NotebookResult | None:
    try:
        exercises = tuple(ExerciseResult(**exercise) for exercise in plain["exercises"])
        parts = {"exercises": exercises, "notes": tuple(plain["notes"]), "late": Lateness()}
        return NotebookResult(**plain | parts)
    except (KeyError, TypeError):  # another version of the course wrote it
        return None
