"""What a teacher wants to know of a class, counted."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import StatisticsError, correlation, mean, median

from notebook_judge.catalogue import catalogue
from notebook_judge.grading.results import ExerciseResult, NotebookResult
from notebook_judge.grading.sandbox.shape import shape

STEPS = 10  # of the distribution: each is a tenth of the points, full marks stand alone
FEWEST = 10  # notebooks for which a discrimination says anything
COMMON = 5  # code that more than one learner in so many has is the obvious way
_MOST_SLIPS = 12

_Answer = tuple[NotebookResult, ExerciseResult]


@dataclass(frozen=True)
class Difficulty:
    """How an exercise went.

    Attributes:
        notebooks: how many were graded.
        not_attempted: in how many of them there was no answer.
        discrimination: the correlation of its points with those of all other exercises, -1 to 1;
            None where notebooks are few, or all alike.
    """

    exercise: str
    title: str
    max_points: int
    notebooks: int
    passed: int
    not_attempted: int
    discrimination: float | None

    @property
    def failed(self) -> int:
        """Tried, and not passed."""
        return self.notebooks - self.passed - self.not_attempted

    @property
    def rate(self) -> float:
        """The share of all notebooks that passed."""
        return self.passed / self.notebooks if self.notebooks else 0.0


@dataclass(frozen=True)
class Group:
    """Notebooks whose answers gave the same wrong result."""

    counterexample: str
    notebooks: tuple[NotebookResult, ...]


@dataclass(frozen=True)
class Mistake:
    """A mistake, and who made it.

    Attributes:
        name: handle of the slip; empty where it is none that the course knows.
        sentence: what a learner was told.
        groups: of identical results, the largest first.
    """

    name: str
    sentence: str
    title: str
    groups: tuple[Group, ...]

    @property
    def notebooks(self) -> int:
        """In how many it occurred."""
        return sum(len(group.notebooks) for group in self.groups)


@dataclass(frozen=True)
class Alike:
    """Answers that differ in names alone, and whose they are."""

    title: str
    notebooks: tuple[NotebookResult, ...]


@dataclass(frozen=True)
class LessonStatistics:
    """One lesson, over all notebooks of it that were graded."""

    lesson: str
    points: tuple[int, ...]
    max_points: int
    difficulties: tuple[Difficulty, ...]
    slips: tuple[Mistake, ...]
    other_slips: tuple[Mistake, ...]
    alike: tuple[Alike, ...]

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
    exercises: dict[str, list[_Answer]] = {}
    for result in results:
        for exercise in result.exercises:
            exercises.setdefault(exercise.exercise, []).append((result, exercise))
    # The hardest first; where two are alike, in the order of the course.
    difficulties = sorted(map(_difficulty, exercises.values()), key=lambda one: one.rate)
    return LessonStatistics(
        lesson,
        tuple(result.earned for result in results),
        max(result.max_points for result in results),
        tuple(difficulties),
        tuple(_mistakes(exercises.values(), known=True)),
        tuple(_mistakes(exercises.values(), known=False))[:_MOST_SLIPS],
        tuple(_alike(exercises.values())),
    )


def _difficulty(answers: Sequence[_Answer]) -> Difficulty:
    statuses = Counter(exercise.status for _, exercise in answers)
    _, first = answers[0]
    return Difficulty(
        first.exercise,
        first.title,
        first.max_points,
        len(answers),
        statuses["passed"] + statuses["follows"],
        statuses["not attempted"],
        _discrimination(answers),
    )


def _discrimination(answers: Sequence[_Answer]) -> float | None:
    if len(answers) < FEWEST:
        return None
    own = [exercise.points for _, exercise in answers]
    rest = [result.earned - exercise.points for result, exercise in answers]
    try:
        return correlation(own, rest)
    except StatisticsError:  # all have the same points
        return None


def _mistakes(exercises: Iterable[Sequence[_Answer]], *, known: bool) -> list[Mistake]:
    """By how often they occur: slips with a name, or what else was said at least twice."""
    mistakes = []
    for answers in exercises:
        told: dict[str, list[_Answer]] = {}
        for result, one in answers:
            failed = one.status not in ("passed", "follows", "not attempted")
            if failed and bool(one.slip) == known:
                told.setdefault(one.slip or one.headline, []).append((result, one))
        for same in told.values():
            if known or len(same) > 1:
                _, one = same[0]
                mistakes.append(Mistake(one.slip, one.headline, one.title, _groups(same)))
    return sorted(mistakes, key=lambda mistake: -mistake.notebooks)


def _groups(answers: Sequence[_Answer]) -> tuple[Group, ...]:
    """All answers got the same inputs, so that equal counterexamples mean equal results."""
    equal: dict[str, list[NotebookResult]] = {}
    for result, exercise in answers:
        equal.setdefault(exercise.counterexample, []).append(result)
    groups = [Group(example, tuple(results)) for example, results in equal.items()]
    return tuple(sorted(groups, key=lambda group: -len(group.notebooks)))


def _alike(exercises: Iterable[Sequence[_Answer]]) -> Iterator[Alike]:
    """Equal code beneath other names, of several learners, unless it is what many think of."""
    for answers in exercises:
        equal: dict[str, list[NotebookResult]] = {}
        for result, exercise in answers:
            if exercise.shape and exercise.status != "not attempted":
                equal.setdefault(exercise.shape, []).append(result)
        _, first = answers[0]
        check = catalogue().checks.get(first.exercise)
        equal.pop(shape(ast.parse(check.text.text)) if check else "", None)
        for results in equal.values():
            learners = {result.learner or result.name for result in results}
            if 1 < len(learners) <= max(2, len(answers) / COMMON):
                yield Alike(first.title, tuple(results))
