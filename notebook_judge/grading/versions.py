"""The version of exercises: under another one a notebook is graded again."""

import hashlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from inspect import getsource
from typing import Any

import torch

from notebook_judge.catalogue import catalogue
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.fingerprint import as_bytes, code
from notebook_judge.checks.solutions import Solution
from notebook_judge.course import course

# Parts of the course that points do not depend on.
_NO_JUDGE = {
    *("reports", "learning", "widgets", "cli", "runner", "store", "learners", "overrides"),
    *("deadlines", "options", "platforms", "tables", "grade", "examples", "palette"),
}
# What an exercise says, and what counts otherwise than as it stands.
_WORDS = {"title", "hints", "difficulty", "importance", "minutes"}
_MEANT = {"draw", "solution", "slips", "broken", "repairs", "rubric"}


@cache
def exercise_version(lesson: str, seed: int) -> str:
    """Changes with all that decides the points of a lesson, or which mistakes are named in it.

    Everything counts by what it does:

    - the versions of PyTorch and of Python;
    - the code of the judge, of the grader and of what the lessons build;
    - of each exercise the cases that the seed draws, the solution and what stands above it, the
      names of the answer and its results, tolerances, points, bans and what it may build on; of an
      open one the levels and the code that measures;
    - its slips in their order, each by its name and by what its edits make of the solution; the
      same of code that is handed out to be mended. No points hang on a slip, but its name stands
      in the results and is counted.

    Nothing else does: no hint, no sentence or title of the catalogue, no label of a case, comment,
    docstring or layout. A stored result keeps the words that it was given.

    Args:
        lesson: one that has no exercises, such as "", for the judge alone.
        seed: of the run.
    """
    whole = hashlib.sha256(_judge())
    for name in catalogue().lessons.get(lesson, ()):
        for part in as_bytes([*_meaning(catalogue().checks[name], seed)]):
            whole.update(part + b"\0")
    return whole.hexdigest()[:16]


@cache
def _judge() -> bytes:
    whole = hashlib.sha256(f"{torch.__version__} {sys.version}".encode())
    exercises = course().catalogue  # their values count, not their code
    for folder in course().folders:
        for path in sorted(folder.rglob("*")):
            place = path.relative_to(folder.parent)
            if path.is_relative_to(exercises) or _NO_JUDGE & {*place.parts, path.stem}:
                continue
            if path.suffix in (".py", ".txt", ".toml"):
                text = path.read_text("utf-8")
                told = code(text) if path.suffix == ".py" else text
                whole.update(f"{place}\0{told}\0".encode())
    return whole.digest()


def _meaning(check: Check, seed: int) -> Iterator[Any]:
    names = [one.name for one in fields(check) if one.name not in _WORDS | _MEANT]
    yield {name: getattr(check, name) for name in names}
    yield check.cases(seed)
    yield code(check.text.whole)
    yield [(slip.name, _edited(check.text, slip.edits)) for slip in check.slips]
    yield [_edited(check.text, check.broken, repair.edits) for repair in check.repairs]
    if check.rubric:
        yield check.rubric.levels
        for function in (check.rubric.measure, check.rubric.truth):
            yield code(getsource(sys.modules[function.__module__]))


def _edited(text: Solution, *edits: Mapping[str, str]) -> str:
    """What edits make of a text; nothing where they fit no more, and nobody is told of them."""
    try:
        for each in edits:
            text = text.edited(each)
        return code(text.text)
    except (ValueError, SyntaxError):
        return ""
