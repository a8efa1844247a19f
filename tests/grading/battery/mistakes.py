"""Slips of the keyboard and of the mind: one piece of a right answer, replaced."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nbformat import NotebookNode

from tests.grading.battery.submission import (
    LESSON,
    Submission,
    alone,
    answer_cell,
    edited,
    solution,
)
from transformer_checks import catalogue


@dataclass(frozen=True)
class Mistake:
    """A right answer with one piece replaced, wherever it stands in it.

    Attributes:
        answer: the name of the answer.
        old: the piece, ``""`` for the whole answer.
        new: what stands there instead.
        slip: the slip that must be named; ``""`` where the course knows none.
        verdict: that the exercise must get.
    """

    answer: str
    old: str
    new: str
    slip: str = ""
    verdict: str = "wrong"

    def make(self, book: NotebookNode) -> None:
        """Make the mistake in a notebook."""
        cell = answer_cell(book, self.answer)
        assert self.old in cell.source, (self.answer, self.old)
        cell.source = cell.source.replace(self.old, self.new) if self.old else self.new


def of_catalogue(lesson: str, answers: Sequence[str], each: int) -> tuple[Mistake, ...]:
    """The first slips of these answers that are an edit of one place."""
    book = solution(lesson)
    if lesson == LESSON:
        alone(book)
    found = []
    for check in catalogue.of_lesson(lesson):
        if check.answer not in answers:
            continue
        source = answer_cell(book, check.answer).source
        slips = [s for s in check.slips if len(s.edits) == 1 and _fits(source, s.edits)]
        assert slips, f"no slip of {check.name} fits its cell"
        for slip in slips[:each]:
            ((old, new),) = slip.edits.items()
            found.append(Mistake(check.answer, old, new, slip.name))
    return tuple(found)


def _fits(source: str, edits: Mapping[str, str]) -> bool:
    """Whether it changes this answer, and no other that stands above it."""
    return all(old in source and "def " not in old + new for old, new in edits.items())


def submissions(
    mistakes: Sequence[Mistake], lesson: str = LESSON, together: int = 4
) -> tuple[Submission, ...]:
    """Notebooks with a few mistakes each, all in different answers."""
    groups: list[list[Mistake]] = []
    for mistake in mistakes:
        for group in groups:
            if len(group) < together and mistake.answer not in {one.answer for one in group}:
                group.append(mistake)
                break
        else:
            groups.append([mistake])
    return tuple(_submission(group, lesson) for group in groups)


def _submission(group: Sequence[Mistake], lesson: str) -> Submission:
    start = [alone] if lesson == LESSON else []
    return Submission(
        f"{lesson[:2]} " + ", ".join(one.slip or _shortened(one) for one in group),
        edited(*start, *(one.make for one in group), lesson=lesson),
        {one.answer: one.verdict for one in group},
        {one.answer: one.slip for one in group if one.slip},
        lesson=lesson,
    )


def _shortened(mistake: Mistake) -> str:
    """A mistake without a name, in code."""
    return (mistake.new.splitlines() or [f"no {mistake.old}"])[0]
