"""The course that the judge is handed: plain data, which every process of a run is given."""

import json
import sys
from dataclasses import asdict, dataclass
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

JUDGE = "notebook_judge"
_OWN = (JUDGE, "careful_io")  # a learner may read all of these


@dataclass(frozen=True)
class Course:
    """What is different from course to course. Modules and packages are named as in an import.

    Attributes:
        name: of its command, and of the distribution whose version the reports state.
        title: what stands above the reports.
        exercises: the package that holds them; see ``catalogue``. A notebook that is graded sees
            nothing of the topmost package around it.
        example: the exercise that messages name as an example.
        door: the module from which notebooks import ``check``, ``hint`` and ``progress``.
        package: what the lessons build, and answers may not call; "" if there is none.
        shown: parts of the package that show what was built: an answer may be called by them.
        spared: other parts, or modules in them, that build nothing.
        underneath: parts that those call which an answer may build on.
        preloaded: modules that most notebooks load.
        first: ``"module:function"``, called before the first cell of a notebook; "" for nothing.
        truths: what is said where numbers were expected and truth values came, or the reverse.
    """

    name: str
    title: str
    exercises: str
    example: str
    door: str
    package: str = ""
    shown: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    underneath: tuple[str, ...] = ()
    preloaded: tuple[str, ...] = ()
    first: str = ""
    truths: str = "What is true or false is boolean; everything else is numbers."

    @property
    def hidden(self) -> str:
        """The package that holds what a notebook must not see."""
        return self.exercises.partition(".")[0]

    @property
    def prefixes(self) -> tuple[str, ...]:
        """How the names of all modules begin that an answer may not call."""
        return tuple(f"{one}." for one in (JUDGE, self.hidden, self.package) if one)

    @property
    def catalogue(self) -> Path:
        """The folder of the exercises."""
        return folder_of(self.exercises)

    @property
    def solutions(self) -> Path:
        """The folder with the text of the solutions, a file for each lesson."""
        return self.catalogue / "solutions"

    @property
    def home(self) -> Path:
        """The folder of the course, where its package is installed from a clone of it."""
        return folder_of(self.hidden).resolve().parent

    @property
    def seen(self) -> tuple[Path, ...]:
        """The folders of what a notebook that is graded may import."""
        return tuple(folder_of(one) for one in (*_OWN, self.package) if one)

    @property
    def folders(self) -> tuple[Path, ...]:
        """All code of the course that runs beside a learner's."""
        return (*self.seen, folder_of(self.hidden))

    def dump(self) -> str:
        """Write it as text for the command line of another process; see ``load``."""
        return json.dumps([asdict(self), sorted({str(one.parent) for one in self.folders})])


def load(text: str) -> Course:
    """Return the course that ``Course.dump`` has written, and let its packages be found here.

    The environment alone does not say where they are: that of this course heeds no ``PYTHONPATH``.
    """
    fields, folders = json.loads(text)
    sys.path += [folder for folder in folders if folder not in sys.path]
    told: Any = {n: tuple(v) if isinstance(v, list) else v for n, v in fields.items()}
    return Course(**told)


@cache
def folder_of(package: str) -> Path:
    """Find a package without importing it.

    Raises:
        ModuleNotFoundError: there is none.
    """
    first, *inside = package.split(".")
    found = PathFinder.find_spec(first)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"no package {first!r}; expected that of a course or its judge")
    return Path(found.submodule_search_locations[0], *inside)


_handed: list[Course] = []


def use(course: Course) -> Course:
    """Hand over the course of this process, and return it."""
    _handed[:] = [course]
    return course


def course() -> Course:
    """Return the course of this process.

    Raises:
        RuntimeError: none was handed over.
    """
    if not _handed:
        raise RuntimeError(
            "the judge has no course yet; call notebook_judge.course.use(Course(…))."
        )
    return _handed[0]
