"""Slips of the keyboard and of the mind: one piece of a right answer, replaced."""

from collections.abc import Sequence
from dataclasses import dataclass

from nbformat import NotebookNode

from tests.grading.battery.submission import Submission, alone, answer_cell, edited

TOGETHER = 4  # in a notebook, at most


@dataclass(frozen=True)
class Mistake:
    """A right answer of lesson 02 with one piece replaced, wherever it stands in it.

    Attributes:
        answer: the name of the answer.
        old: the piece.
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
        cell.source = cell.source.replace(self.old, self.new)


def submissions(mistakes: Sequence[Mistake]) -> tuple[Submission, ...]:
    """Notebooks with a few mistakes each, all in different answers."""
    groups: list[list[Mistake]] = []
    for mistake in mistakes:
        for group in groups:
            if len(group) < TOGETHER and mistake.answer not in {one.answer for one in group}:
                group.append(mistake)
                break
        else:
            groups.append([mistake])
    return tuple(map(_submission, groups))


def _submission(group: Sequence[Mistake]) -> Submission:
    return Submission(
        ", ".join(one.new.splitlines()[0] for one in group),
        edited(alone, *(one.make for one in group)),
        {one.answer: one.verdict for one in group},
        {one.answer: one.slip for one in group if one.slip},
    )
