"""What the teacher decides by hand: points and comments, in a file that no run writes to."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from notebook_judge.catalogue import catalogue
from notebook_judge.grading.results import ExerciseResult, NotebookResult
from notebook_judge.grading.tables import BadTable, one_of, read_table


@dataclass(frozen=True)
class Override:
    """What the teacher says of one answer of one learner.

    Attributes:
        points: instead of the judge's; None to leave these.
        comment: for the learner; may be empty.
    """

    learner: str
    exercise: str
    points: int | None
    comment: str


@dataclass(frozen=True)
class Overrides:
    """All of them, by learner and exercise."""

    given: Mapping[tuple[str, str], Override] = field(default_factory=dict)

    def applied(self, result: NotebookResult) -> NotebookResult:
        """A notebook's result with what the teacher decided on it."""
        exercises = tuple(self._decided(result.learner, one) for one in result.exercises)
        return replace(result, exercises=exercises)

    def _decided(self, learner: str, exercise: ExerciseResult) -> ExerciseResult:
        override = self.given.get((learner, exercise.exercise))
        if override is None:
            return exercise
        exercise = replace(exercise, comment=override.comment)
        if override.points is None or override.points == exercise.points:
            return exercise
        return replace(exercise, points=override.points, judged=exercise.points)

    def unused(self, results: Iterable[NotebookResult]) -> list[Override]:
        """Those whose exercise is in no graded notebook of the learner."""
        graded = {(one.learner, e.exercise) for one in results for e in one.exercises}
        return [override for key, override in self.given.items() if key not in graded]


def read_overrides(path: Path, learners: Collection[str]) -> Overrides:
    """Read a CSV with the columns learner, exercise, points and comment.

    Args:
        path: the file; it is only read.
        learners: of the class.

    Raises:
        BadTable: see ``read_table``; or a row names an unknown learner or exercise, gives points
            that the exercise cannot have, says nothing, or repeats another.
    """
    given: dict[tuple[str, str], Override] = {}
    for line, row in read_table(path, ("learner", "exercise", "points", "comment")):
        where = f"{str(path)!r}, line {line}"
        learner = one_of(row["learner"], learners, f"{where}: no learner")
        exercise = one_of(row["exercise"], catalogue().checks, f"{where}: no exercise")
        points = _points(row["points"], catalogue().checks[exercise].points, where)
        if points is None and not row["comment"]:
            raise BadTable(f"{where}: neither points nor a comment")
        if (learner, exercise) in given:
            raise BadTable(f"{where}: a second row for {learner!r} and {exercise!r}")
        given[learner, exercise] = Override(learner, exercise, points, row["comment"])
    return Overrides(given)


def _points(text: str, most: int, where: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 5 and int(text) <= most):
        raise BadTable(f"{where}: {text!r} points; expected a whole number from 0 to {most}")
    return int(text)
