"""Every exercise of the course, by lesson.

``attention.softmax`` of lesson ``02_self_attention`` stands in ``self_attention/softmax.py``, its
slips in ``self_attention/softmax.toml``: both are loaded when the exercise is first asked for, and
PyTorch with them. Its card is read from the same file, which nothing runs for it.
``self_attention/hints.md`` lists the exercises of the lesson in their order, with their hints.
"""

import ast
import re
from collections import UserDict
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transformer_checks.checks.card import Card, cell_id

if TYPE_CHECKING:
    from transformer_checks.checks.exercise import Check

_ON_A_CARD = ("title", "answer", "points", "importance", "minutes")


def _pages() -> dict[str, dict[str, str]]:
    """What the page of each lesson says of each of its exercises, in their order."""
    pages = {}
    for path in Path(__path__[0]).glob("*/hints.md"):
        title, *sections = re.split(r"^##? ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]
        pages[title.partition(":")[0]] = dict(section.split("\n", 1) for section in sections)
    return dict(sorted(pages.items()))


_PAGES = _pages()
LESSONS = {lesson: tuple(page) for lesson, page in _PAGES.items()}
# What can be said of an exercise without reading it.
LESSON_OF = {name: lesson for lesson, names in LESSONS.items() for name in names}
BY_CELL_ID = {cell_id(name): name for name in LESSON_OF}


class _Catalogue(UserDict[str, "Check"]):
    """Exercises by name; what has not been asked for yet stands there as the name of its module."""

    data: dict[str, Any]

    def __getitem__(self, name: str) -> "Check":
        if isinstance(self.data[name], str):
            # Only now: they load PyTorch.
            from transformer_checks.catalogue import slips
            from transformer_checks.checks.modes import neutral

            with neutral():  # a learner's settings last longer than a first call of ``hint``
                module = import_module(self.data[name])
            written: Check = module.CHECK
            known = slips.read(Path(str(module.__file__)).with_suffix(".toml"))
            self.data[name] = replace(written, hints=_hints(name), slips=known)
        check: Check = self.data[name]
        return check


def _module(lesson: str, name: str) -> str:
    return f"{__name__}.{lesson.partition('_')[2]}.{name.partition('.')[2]}"


def _hints(name: str) -> tuple[str, ...]:
    """The numbered paragraphs below the exercise's heading, each as one line."""
    paragraphs = re.split(r"^\d+\. ", _PAGES[LESSON_OF[name]][name], flags=re.MULTILINE)
    return tuple(" ".join(paragraph.split()) for paragraph in paragraphs[1:])


CHECKS = _Catalogue()
CHECKS.data = {name: _module(lesson, name) for name, lesson in LESSON_OF.items()}


@cache
def card(name: str) -> Card:
    """Return what an exercise says of itself, without loading it.

    Raises:
        KeyError: there is none of that name.
    """
    lesson = LESSON_OF[name]
    file = Path(__path__[0], *_module(lesson, name).split(".")[2:]).with_suffix(".py")
    (said,) = (
        {one.arg: one.value for one in call.keywords}
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "Check"
    )
    values = {key: ast.literal_eval(said[key]) for key in _ON_A_CARD}
    return Card(name=name, lesson=lesson, hints=_hints(name), **values)


def find(name: str) -> "Check":
    """Return the check called ``name``.

    Raises:
        KeyError: there is none; the message names the nearest.
        TypeError: the name is no string.
    """
    if not isinstance(name, str):
        raise TypeError(
            f"the name of an exercise is a string, such as 'attention.softmax'; got {name!r}. "
            "Write check(name, answer), in this order."
        )
    if name not in CHECKS:
        near = get_close_matches(name, CHECKS, n=1)
        lessons = "progress('02_self_attention') lists the exercises of a lesson."
        advice = f"Did you mean {near[0]!r}?" if near else lessons
        raise KeyError(f"there is no exercise {name!r}. {advice}")
    return CHECKS[name]


def of_lesson(lesson: str) -> "list[Check]":
    """Return the checks of a lesson in their order.

    Raises:
        KeyError: the lesson has none.
    """
    return [CHECKS[name] for name in names_of(lesson)]


def names_of(lesson: str) -> tuple[str, ...]:
    """Return the names of a lesson's exercises in their order.

    Raises:
        KeyError: the lesson has none.
    """
    if lesson not in LESSONS:
        lessons = ", ".join(LESSONS)
        raise KeyError(f"no exercise belongs to lesson {lesson!r}. Lessons: {lessons}.")
    return LESSONS[lesson]
