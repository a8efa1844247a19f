"""What a learner has done: a small file for each exercise, kept beside the learner's notebooks.

One file an exercise, replaced whole: two notebooks that are open at once have nothing to fight
over, and no file is ever half written. Losing one costs no more than running its check again.
"""

import json
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from careful_io import replacing

FOLDER = ".progress"
# Beside exercises/ in a clone of the course. What passes there is nobody's progress.
_THE_COURSES = frozenset({"solutions", "notebooks"})


@dataclass(frozen=True)
class Entry:
    """What is known of one exercise.

    Attributes:
        status: of the last check, such as ``"passed"``; empty before the first.
        passed_once: it has passed at some time, whatever the last check said.
        hints: how many hints were given.
        when: of the last check, in seconds since 1970.
    """

    status: str = ""
    passed_once: bool = False
    hints: int = 0
    when: float = 0.0

    @property
    def state(self) -> str:
        """``"done"``, ``"tried"`` or ``"open"``."""
        if self.status == "passed":
            return "done"
        return "open" if self.status in ("", "not attempted") else "tried"


class Record:
    """The entries of a folder with a learner's notebooks.

    Attributes:
        trouble: why entries cannot be kept, in one sentence; empty while they can. They are then
            remembered as long as this process lives.
    """

    def __init__(self, folder: Path) -> None:
        self.trouble = ""
        self._folder = folder
        self._known: dict[str, Entry] = {}

    def of_the_learner(self) -> "Record":
        """Return this, or in one of the course's own folders the record beside the exercises."""
        learners = _learners_folder(self._folder)
        return self if learners == self._folder else Record(learners)

    def entry(self, exercise: str) -> Entry:
        """Return what is known of an exercise: a file that is gone or damaged tells nothing."""
        with suppress(OSError, ValueError):
            return _entry(json.loads(self._file(exercise).read_text(encoding="utf-8")))
        return self._known.get(exercise, Entry())

    def entries(self, exercises: Iterable[str]) -> dict[str, Entry]:
        """Return the entries of several exercises, by name."""
        return {exercise: self.entry(exercise) for exercise in exercises}

    def note_status(self, exercise: str, status: str) -> None:
        """Keep what a check said. An empty stub that was never anything else leaves no trace."""
        before = self.entry(exercise)
        if status == "not attempted" and before == Entry():
            return
        passed = before.passed_once or status == "passed"
        self._keep(exercise, replace(before, status=status, passed_once=passed, when=time.time()))

    def note_hints(self, exercise: str, hints: int) -> None:
        """Keep how many hints were given."""
        self._keep(exercise, replace(self.entry(exercise), hints=hints))

    def forget(self, exercise: str) -> None:
        """Begin anew: all that is kept is whether it has ever passed."""
        anew = Entry(passed_once=self.entry(exercise).passed_once)
        if self.entry(exercise) != anew:
            self._keep(exercise, anew)

    def _file(self, exercise: str) -> Path:
        return self._folder / FOLDER / f"{exercise}.json"

    def _keep(self, exercise: str, entry: Entry) -> None:
        self._known[exercise] = entry
        if not _is_learners(self._folder):
            return
        try:
            file = self._file(exercise)
            file.parent.mkdir(exist_ok=True)
            with replacing(file) as new:
                new.write_text(json.dumps(asdict(entry)) + "\n", encoding="utf-8")
            self.trouble = ""
        except OSError as error:
            self.trouble = (
                f"Progress cannot be kept in {self._folder}: {error.strerror or error}. "
                "Make that folder your own, or work in a copy of it."
            )


def _entry(loaded: Any) -> Entry:
    """Take over what has the right type, whatever else a file may hold."""
    kinds = {"status": str, "passed_once": bool, "hints": int, "when": int | float}
    if not isinstance(loaded, dict):
        raise ValueError("an entry is a JSON object")
    return Entry(**{n: loaded[n] for n, kind in kinds.items() if isinstance(loaded.get(n), kind)})


def _learners_folder(folder: Path) -> Path:
    with suppress(OSError):
        exercises = folder.parent / "exercises"
        if folder.name in _THE_COURSES and exercises.is_dir():
            return exercises
    return folder


def _is_learners(folder: Path) -> bool:
    with suppress(OSError):
        return folder == _learners_folder(folder) and any(folder.glob("*.ipynb"))
    return False
