"""The course's own answers: every exercise's reference, and the text that its slips edit.

They lie in ``Course.solutions``:
one text for each lesson, with a section ``# %% attention.scores`` for each exercise. In a section
``# %% given`` and ``# %% answer`` tell the cells that learners are given from theirs. Nothing
imports them: they are read, edited and run in parts.
"""

import linecache
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from notebook_judge.checks.modes import neutral
from notebook_judge.course import course

MARK = "# %% "
GIVEN, ANSWER = f"{MARK}given", f"{MARK}answer"

Answer = Callable[..., Any]


@dataclass(frozen=True)
class Solution:
    """A right answer as text.

    Attributes:
        exercise: its name.
        answer: the function or class that the text defines.
        text: the section of the exercise: the answer, and what the notebook gives with it.
        above: all that the notebook runs before it, and that it may call.
    """

    exercise: str
    answer: str
    text: str
    above: str = ""

    def edited(self, edits: Mapping[str, str]) -> "Solution":
        """Return the solution with each old text, wherever it stands, replaced by the new one.

        Raises:
            ValueError: an old text is not there, perhaps because the solution was rewritten.
        """
        text = self.text
        for old, new in edits.items():
            if old not in text:
                raise ValueError(
                    f"a slip of {self.exercise} edits {old!r}, which its solution does not hold."
                )
            text = text.replace(old, new)
        return Solution(self.exercise, self.answer, text, self.above)

    @property
    def whole(self) -> str:
        """The text with all that it needs above it."""
        return self.above + self.text

    def run(self) -> Answer:
        """Return what the text defines; of equal texts the same object."""
        return _run(self)


@cache
def solution_of(exercise: str, lesson: str, answer: str) -> Solution:
    """Return the solution of an exercise.

    Raises:
        KeyError: the lesson's file has no section for it.
    """
    above = ""
    for name, text in _sections(lesson):
        if name == exercise:
            return Solution(exercise, answer, text, above)
        above += text
    raise KeyError(
        f"{course().solutions.name}/{lesson}.txt has no section {exercise!r}. "
        "Is there a check cell for it in solutions/? Then run `make exercises`."
    )


@lru_cache
def _sections(lesson: str) -> list[tuple[str, str]]:
    """The sections of a lesson by name; what stands before the first exercise has none."""
    sections = [("", "")]
    for line in _lines(lesson):
        if line.strip() in (GIVEN, ANSWER):
            continue
        if line.startswith(MARK):
            sections.append((line.removeprefix(MARK).strip(), ""))
        else:
            name, text = sections[-1]
            sections[-1] = (name, text + line)
    return sections


@lru_cache
def given(lesson: str) -> tuple[str, ...]:
    """What the notebook of a lesson gives to a learner: its imports, and code around the answers.

    A lesson that has no solutions gives nothing.
    """
    parts, is_given = [""], True
    for line in _lines(lesson):
        if line.startswith(MARK):
            is_given = line.strip() == GIVEN
            parts += [""] * is_given
        elif is_given:
            parts[-1] += line
    return tuple(filter(str.strip, parts))


def _lines(lesson: str) -> list[str]:
    path = course().solutions / f"{lesson}.txt"
    return path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []


@cache
def _run(solution: Solution) -> Answer:
    names = dict(_names(solution.above))
    execute(solution.text, f"<{solution.exercise}, {hash(solution)}>", names)
    answer: Answer = names[solution.answer]
    return answer


@lru_cache
def _names(above: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": f"{__name__}.answers"}
    execute(above, f"<above, {hash(above)}>", names)
    return names


@neutral()
def execute(text: str, file: str, names: dict[str, Any]) -> None:
    """Run a text among ``names``, its lines readable under ``file``, as Triton's kernels need."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)
