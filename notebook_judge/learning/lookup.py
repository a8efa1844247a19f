"""Find an exercise or a lesson by what a learner calls it, and say what is near any other name."""

from collections.abc import Iterable
from difflib import get_close_matches

from notebook_judge.catalogue import catalogue
from notebook_judge.checks.card import Card
from notebook_judge.course import course
from notebook_judge.learning.progress import lesson_names


class UnknownName(ValueError):
    """A name that fits no exercise or lesson, or several; the message says what to do."""


def find_exercise(name: str) -> Card:
    """Find an exercise by its name, by a shorter form of it, or as "2.3": lesson 02, exercise 3.

    Raises:
        UnknownName: no exercise is called so, or several; the message names them.
    """
    if name in catalogue().lesson_of:
        return catalogue().card(name)
    if numbered := _by_number(name):
        return numbered
    found = _shortest_forms(name.casefold().strip())
    if len(found) == 1:
        return catalogue().card(found[0])
    if found:
        raise UnknownName(f"{name!r} may be any of {', '.join(found)}. Write more of it.")
    near = _nearest(name, catalogue().lesson_of)
    advice = f"Did you mean {' or '.join(near)}? " if near else ""
    raise UnknownName(
        f"there is no exercise {name!r}. {advice}`{course().name} exercises` lists them all."
    )


def find_lesson(name: str) -> str:
    """Find a lesson by its name, by a part of it, or by its number: "02" or "2".

    Raises:
        UnknownName: no lesson with exercises is called so, or several.
    """
    lessons = lesson_names()
    wanted = name.casefold().strip().replace("-", "_").replace(" ", "_").removesuffix(".ipynb")
    if wanted.isdecimal():
        found = [one for one in lessons if int(one.split("_")[0]) == int(wanted)]
    else:
        found = [one for one in lessons if wanted == one] or [
            one for one in lessons if wanted and wanted in one
        ]
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownName(f"{name!r} may be any of {', '.join(found)}. Write more of it.")
    raise UnknownName(f"no exercises belong to a lesson {name!r}. Lessons: {', '.join(lessons)}.")


def _by_number(name: str) -> Card | None:
    lesson_number, _, number = name.partition(".")
    if not (lesson_number.isdecimal() and number.isdecimal()):
        return None
    lesson = find_lesson(lesson_number)
    names = catalogue().lessons[lesson]
    if not 1 <= int(number) <= len(names):
        raise UnknownName(f"lesson {lesson} has exercises 1 to {len(names)}, no {number}.")
    return catalogue().card(names[int(number) - 1])


def _shortest_forms(name: str) -> list[str]:
    """Exercises that ``name`` may stand for: by the first way of shortening that fits any."""
    ways = (
        lambda full: full.casefold() == name,
        lambda full: full.split(".")[1] == name,
        lambda full: catalogue().card(full).answer.casefold() == name,
        lambda full: full.startswith(name) or full.split(".")[1].startswith(name),
    )
    if name:
        for fits in ways:
            if found := [full for full in catalogue().lesson_of if fits(full)]:
                return found
    return []


def _nearest(name: str, names: Iterable[str]) -> list[str]:
    """Up to three names that look alike, as a whole or in their last part."""
    full = list(names)
    near = get_close_matches(name.casefold(), full, n=3)
    parts = {one.split(".")[1]: one for one in full}
    near += [parts[part] for part in get_close_matches(name.casefold(), parts, n=3)]
    return list(dict.fromkeys(near))[:3]
