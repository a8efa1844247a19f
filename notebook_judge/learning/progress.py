"""What a learner has done of each lesson, and which exercise comes next."""

from collections.abc import Sequence
from dataclasses import dataclass

from notebook_judge.catalogue import catalogue
from notebook_judge.checks.card import Card
from notebook_judge.learning.record import Entry, Record


@dataclass(frozen=True)
class ExerciseProgress:
    """One exercise.

    Attributes:
        number: its place in its notebook, counted from 1.
        check: what the exercise says of itself.
        entry: what is known of it.
    """

    number: int
    check: Card
    entry: Entry

    @property
    def done(self) -> bool:
        return self.entry.state == "done"

    @property
    def points(self) -> int:
        return self.check.points if self.done else 0


@dataclass(frozen=True)
class LessonProgress:
    """The exercises of one notebook, in their order."""

    name: str
    exercises: tuple[ExerciseProgress, ...]

    @property
    def title(self) -> str:
        """The name as one reads it: ``"02 self attention"``."""
        return self.name.replace("_", " ")

    @property
    def points(self) -> int:
        return sum(one.points for one in self.exercises)

    @property
    def max_points(self) -> int:
        return sum(one.check.points for one in self.exercises)

    @property
    def done(self) -> int:
        return sum(one.done for one in self.exercises)

    @property
    def next(self) -> ExerciseProgress | None:
        """The first exercise that is not done."""
        return next((one for one in self.exercises if not one.done), None)


def lesson_names() -> list[str]:
    """Return the names of all lessons with exercises, in order."""
    return list(catalogue().lessons)


def lesson_progress(name: str, record: Record) -> LessonProgress:
    """Return what is done of one lesson.

    Raises:
        KeyError: no exercise belongs to it.
    """
    names = enumerate(catalogue().names_of(name), start=1)
    exercises = [ExerciseProgress(i, catalogue().card(n), record.entry(n)) for i, n in names]
    return LessonProgress(name, tuple(exercises))


def course_progress(record: Record) -> list[LessonProgress]:
    """Return what is done of every lesson."""
    return [lesson_progress(name, record) for name in lesson_names()]


def next_exercise(lessons: Sequence[LessonProgress]) -> ExerciseProgress | None:
    """The exercise to do next: in the lesson that was worked on last, then in those after it."""
    if not lessons:
        return None
    last = max(lessons, key=lambda lesson: max(one.entry.when for one in lesson.exercises))
    start = lessons.index(last)
    for lesson in (*lessons[start:], *lessons[:start]):
        if lesson.next:
            return lesson.next
    return None
