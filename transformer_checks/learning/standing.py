"""Where a learner stands: the exercises of the course beside what was recorded of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from transformer_checks import catalogue
from transformer_checks.checks.exercise import Check
from transformer_checks.learning.record import Entry, Record


@dataclass(frozen=True)
class Line:
    """One exercise.

    Attributes:
        number: its place in its notebook, counted from 1.
        check: the exercise.
        entry: what is known of it.
    """

    number: int
    check: Check
    entry: Entry

    @property
    def done(self) -> bool:
        return self.entry.state == "done"

    @property
    def points(self) -> int:
        return self.check.points if self.done else 0


@dataclass(frozen=True)
class Lesson:
    """The exercises of one notebook, in their order."""

    name: str
    lines: tuple[Line, ...]

    @property
    def title(self) -> str:
        """``"02 self attention"``: the name as one reads it."""
        return self.name.replace("_", " ")

    @property
    def points(self) -> int:
        return sum(line.points for line in self.lines)

    @property
    def max_points(self) -> int:
        return sum(line.check.points for line in self.lines)

    @property
    def done(self) -> int:
        return sum(line.done for line in self.lines)

    @property
    def next(self) -> Line | None:
        """The first exercise that is not done."""
        return next((line for line in self.lines if not line.done), None)


def lessons() -> list[str]:
    """Return the names of all lessons with exercises, in order."""
    return list(dict.fromkeys(check.lesson for check in catalogue.CHECKS.values()))


def lesson(name: str, record: Record) -> Lesson:
    """Return where a learner stands in one lesson.

    Raises:
        KeyError: no exercise belongs to it.
    """
    checks = catalogue.of_lesson(name)
    lines = [Line(i, check, record.entry(check.name)) for i, check in enumerate(checks, start=1)]
    return Lesson(name, tuple(lines))


def course(record: Record) -> list[Lesson]:
    """Return where a learner stands in every lesson."""
    return [lesson(name, record) for name in lessons()]


def upcoming(standings: Sequence[Lesson]) -> Line | None:
    """The exercise to do next: in the lesson that was worked on last, then after it."""
    if not standings:
        return None
    last = max(standings, key=lambda one: max(line.entry.when for line in one.lines))
    start = standings.index(last)
    for one in (*standings[start:], *standings[:start]):
        if one.next:
            return one.next
    return None
