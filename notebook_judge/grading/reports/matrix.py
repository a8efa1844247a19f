"""The class as learners and lessons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from notebook_judge.grading.learners import Learner, Roster
from notebook_judge.grading.results import NotebookResult, tidy_number


@dataclass(frozen=True)
class Entry:
    """What a learner handed in for one lesson.

    Attributes:
        best: the notebook that counts: the one with the most points.
        attempts: all of them, in the order of their names.
    """

    best: NotebookResult
    attempts: tuple[NotebookResult, ...]


@dataclass(frozen=True)
class Row:
    """A learner.

    Attributes:
        learner: who, and what gradebooks know of this person.
        entries: by lesson; none where nothing was handed in.
        ungraded: notebooks that could not be graded, so that their lesson is not known.
    """

    learner: Learner
    entries: Mapping[str, Entry]
    ungraded: tuple[NotebookResult, ...]

    @property
    def points(self) -> float:
        return tidy_number(sum(entry.best.points for entry in self.entries.values()))


@dataclass(frozen=True)
class Matrix:
    """All learners and all lessons that occur.

    Attributes:
        lessons: what each is worth, in the order of the lessons.
        rows: in the order of the learners' names.
    """

    lessons: Mapping[str, int]
    rows: tuple[Row, ...]

    @property
    def max_points(self) -> int:
        return sum(self.lessons.values())

    def joined(self, roster: Roster) -> bool:
        """Whether somebody of the class handed something in, where the class is known."""
        known = {row.learner.learner for row in self.rows if row.entries or row.ungraded}
        return not roster.table or bool(known & roster.table.keys())

    def counted(self) -> list[NotebookResult]:
        """The notebooks that count: one for each learner and lesson."""
        return [entry.best for row in self.rows for entry in row.entries.values()]


def matrix_of(results: Sequence[NotebookResult], roster: Roster) -> Matrix:
    """Arrange results; whoever stands in the table of the class has a row in any case."""
    lessons: dict[str, int] = {}
    owned: dict[str, list[NotebookResult]] = {learner: [] for learner in roster.table}
    for result in results:
        owned.setdefault(result.learner or result.name, []).append(result)
        if result.status == "graded":
            lessons[result.lesson] = max(lessons.get(result.lesson, 0), result.max_points)
    rows = [
        _row(roster.table.get(name) or Learner(name), owned[name])
        for name in sorted(owned, key=str.casefold)
    ]
    return Matrix({name: lessons[name] for name in sorted(lessons)}, tuple(rows))


def _row(learner: Learner, results: Sequence[NotebookResult]) -> Row:
    lessons: dict[str, list[NotebookResult]] = {}
    for result in results:
        if result.status == "graded":
            lessons.setdefault(result.lesson, []).append(result)
    entries = {
        lesson: Entry(max(attempts, key=lambda one: one.points), tuple(attempts))
        for lesson, attempts in lessons.items()
    }
    return Row(learner, entries, tuple(one for one in results if one.status != "graded"))
