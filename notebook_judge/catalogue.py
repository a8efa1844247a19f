"""Every exercise of a course, by lesson.

``attention.softmax`` of lesson ``02_self_attention`` stands in ``self_attention/softmax.py``, its
slips in ``self_attention/softmax.toml``: both are loaded when the exercise is first asked for, and
PyTorch with them. Its card is read from the same file, which nothing runs for it.
``self_attention/hints.md`` lists the exercises of the lesson in their order, with their hints, and
``families.toml`` holds the words of slips that several exercises know.
"""

import ast
import re
from collections import UserDict
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_judge.checks.card import Card, cell_id
from notebook_judge.course import Course, course

if TYPE_CHECKING:
    from notebook_judge.checks.exercise import Check
    from notebook_judge.slips import Families

_ON_A_CARD = ("title", "answer", "points", "importance", "minutes")


class _Checks(UserDict[str, "Check"]):
    """Exercises by name; what has not been asked for yet stands there as the name of its module."""

    data: dict[str, Any]

    def __init__(self, whole: "Catalogue") -> None:
        super().__init__()
        self.data = {name: whole.module_of(name) for name in whole.lesson_of}
        self._whole = whole

    def __getitem__(self, name: str) -> "Check":
        if isinstance(self.data[name], str):
            # Only now: they load PyTorch.
            from notebook_judge import slips
            from notebook_judge.checks.modes import neutral

            with neutral():  # a learner's settings last longer than a first call of ``hint``
                module = import_module(self.data[name])
            written: Check = module.CHECK
            known = slips.read(
                Path(str(module.__file__)).with_suffix(".toml"), self._whole.families
            )
            self.data[name] = replace(written, hints=self._whole.hints(name), slips=known)
        check: Check = self.data[name]
        return check


class Catalogue:
    """The exercises of one course.

    Attributes:
        lessons: the names of the exercises of each lesson, in their order.
        lesson_of: the lesson of each exercise.
        by_cell_id: exercises by what nbgrader calls their cells.
        checks: exercises by name, read when they are asked for.
    """

    def __init__(self, course: Course) -> None:
        """Read what can be said of all exercises of ``course`` without loading one."""
        self._course = course
        self._pages = _pages(course.catalogue)
        self.lessons = {lesson: tuple(page) for lesson, page in self._pages.items()}
        self.lesson_of = {name: one for one, names in self.lessons.items() for name in names}
        self.by_cell_id = {cell_id(name): name for name in self.lesson_of}
        self.checks = _Checks(self)

    @cached_property
    def families(self) -> "Families":
        """The words of slips that several exercises know, by the name of the slip."""
        from notebook_judge.slips import families  # it loads PyTorch

        return families(self._course.catalogue)

    def module_of(self, name: str) -> str:
        """Return the module in which an exercise is written."""
        folder = self.lesson_of[name].partition("_")[2]
        return f"{self._course.exercises}.{folder}.{name.partition('.')[2]}"

    def hints(self, name: str) -> tuple[str, ...]:
        """Return the numbered paragraphs below the exercise's heading, each as one line."""
        page = self._pages[self.lesson_of[name]][name]
        paragraphs = re.split(r"^\d+\. ", page, flags=re.MULTILINE)[1:]
        return tuple(" ".join(paragraph.split()) for paragraph in paragraphs)

    @cache  # noqa: B019 - one for each course, as long as the process lives
    def card(self, name: str) -> Card:
        """Return what an exercise says of itself, without loading it.

        Raises:
            KeyError: there is none of that name.
        """
        lesson = self.lesson_of[name]
        inside = self.module_of(name).removeprefix(self._course.exercises).split(".")
        file = self._course.catalogue.joinpath(*inside).with_suffix(".py")
        (said,) = (
            {one.arg: one.value for one in call.keywords}
            for call in ast.walk(ast.parse(file.read_text("utf-8")))
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "Check"
        )
        values = {key: ast.literal_eval(said[key]) for key in _ON_A_CARD}
        return Card(name=name, lesson=lesson, hints=self.hints(name), **values)

    def find(self, name: str) -> "Check":
        """Return the check called ``name``.

        Raises:
            KeyError: there is none; the message names the nearest.
            TypeError: the name is no string.
        """
        example = self._course.example
        if not isinstance(name, str):
            raise TypeError(
                f"the name of an exercise is a string, such as {example!r}; got {name!r}. "
                "Write check(name, answer), in this order."
            )
        if name not in self.checks:
            near = get_close_matches(name, self.checks, n=1)
            lessons = f"progress({self.lesson_of[example]!r}) lists the exercises of a lesson."
            advice = f"Did you mean {near[0]!r}?" if near else lessons
            raise KeyError(f"there is no exercise {name!r}. {advice}")
        return self.checks[name]

    def of_lesson(self, lesson: str) -> "list[Check]":
        """Return the checks of a lesson in their order.

        Raises:
            KeyError: the lesson has none.
        """
        return [self.checks[name] for name in self.names_of(lesson)]

    def names_of(self, lesson: str) -> tuple[str, ...]:
        """Return the names of a lesson's exercises in their order.

        Raises:
            KeyError: the lesson has none.
        """
        if lesson not in self.lessons:
            lessons = ", ".join(self.lessons)
            raise KeyError(f"no exercise belongs to lesson {lesson!r}. Lessons: {lessons}.")
        return self.lessons[lesson]


def _pages(folder: Path) -> dict[str, dict[str, str]]:
    """What the page of each lesson says of each of its exercises, in their order."""
    pages = {}
    for path in folder.glob("*/hints.md"):
        title, *sections = re.split(r"^##? ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]
        pages[title.partition(":")[0]] = dict(section.split("\n", 1) for section in sections)
    return dict(sorted(pages.items()))


@cache
def read(course: Course) -> Catalogue:
    """Return the catalogue of a course: each time the same object."""
    return Catalogue(course)


def catalogue() -> Catalogue:
    """Return the catalogue of the course of this process."""
    return read(course())
