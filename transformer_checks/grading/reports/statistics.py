"""What a teacher wants to know of a class, counted."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median

from transformer_checks.grading.results import ExerciseResult, NotebookResult

STEPS = 10  # of the distribution: each is a tenth of the points, full marks stand alone
_MOST_SLIPS = 12


@dataclass(frozen=True)
class Difficulty:
    """How an exercise went.

    Attributes:
        notebooks: how many were graded.
        not_attempted: in how many of them there was no answer.
    """

    exercise: str
    title: str
    max_points: int
    notebooks: int
    passed: int
    not_attempted: int

    @property
    def failed(self) -> int:
        """Tried, and not passed."""
        return self.notebooks - self.passed - self.not_attempted

    @property
    def rate(self) -> float:
        """The share of all notebooks that passed."""
        return self.passed / self.notebooks if self.notebooks else 0.0


@dataclass(frozen=True)
class SlipCount:
    """A mistake and how often it occurred.

    Attributes:
        name: handle of the slip; empty where it is none that the course knows.
        sentence: what a learner was told.
    """

    name: str
    sentence: str
    title: str
    notebooks: int


@dataclass(frozen=True)
class LessonStatistics:
    """One lesson, over all notebooks of it that were graded."""

    lesson: str
    points: tuple[int, ...]
    max_points: int
    difficulties: tuple[Difficulty, ...]
    slips: tuple[SlipCount, ...]
    other_slips: tuple[SlipCount, ...]

    @property
    def mean(self) -> float:
        return mean(self.points)

    @property
    def median(self) -> float:
        return median(self.points)

    def distribution(self) -> list[tuple[str, int]]:
        """Shares of the points in words, and how many notebooks have them."""
        steps = Counter(STEPS * points // self.max_points for points in self.points)
        width = 100 // STEPS
        words = [f"{low} to {low + width - 1} %" for low in range(0, 100, width)] + ["100 %"]
        return [(word, steps[step]) for step, word in enumerate(words)]


def by_lesson(results: Sequence[NotebookResult]) -> list[LessonStatistics]:
    """The statistics of each lesson that occurs, in the order of the lessons."""
    lessons: dict[str, list[NotebookResult]] = {}
    for result in results:
        if result.status == "graded" and result.max_points:
            lessons.setdefault(result.lesson, []).append(result)
    return [_lesson(lesson, lessons[lesson]) for lesson in sorted(lessons)]


def _lesson(lesson: str, results: Sequence[NotebookResult]) -> LessonStatistics:
    exercises: dict[str, list[ExerciseResult]] = {}
    for exercise in (exercise for result in results for exercise in result.exercises):
        exercises.setdefault(exercise.exercise, []).append(exercise)
    # The hardest first; where two are alike, in the order of the course.
    difficulties = sorted(map(_difficulty, exercises.values()), key=lambda one: one.rate)
    return LessonStatistics(
        lesson,
        tuple(result.points for result in results),
        max(result.max_points for result in results),
        tuple(difficulties),
        tuple(_slips(exercises.values(), known=True)),
        tuple(_slips(exercises.values(), known=False))[:_MOST_SLIPS],
    )


def _difficulty(results: Sequence[ExerciseResult]) -> Difficulty:
    statuses = Counter(result.status for result in results)
    first = results[0]
    return Difficulty(
        first.exercise,
        first.title,
        first.max_points,
        len(results),
        statuses["passed"] + statuses["follows"],
        statuses["not attempted"],
    )


def _slips(exercises: Iterable[Sequence[ExerciseResult]], *, known: bool) -> list[SlipCount]:
    """Slips by how often they occur: those with a name, or what else was said at least twice."""
    slips = []
    for results in exercises:
        told: dict[str, list[ExerciseResult]] = {}
        for result in results:
            if (
                result.status not in ("passed", "follows", "not attempted")
                and bool(result.slip) == known
            ):
                told.setdefault(result.slip or result.headline, []).append(result)
        for same in told.values():
            if known or len(same) > 1:
                one = same[0]
                slips.append(SlipCount(one.slip, one.headline, one.title, len(same)))
    return sorted(slips, key=lambda slip: -slip.notebooks)
