"""What a notebook got, exercise by exercise."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ExerciseResult:
    """What a notebook got for one exercise. Name, title and worth come from the course.

    Attributes:
        status: passed, follows (wrong only because an earlier answer is), wrong, error, timeout,
            crashed, not allowed or not attempted.
        headline: the first thing that is wrong; empty if nothing is.
        lead: what to try next.
        slip: handle of the known mistake, empty if it is none.
        counterexample: the smallest case that shows it.
        code: the cell that answers it, as it was submitted.
        shape: the same for code that differs in names alone; empty if it is short.
        judged: the points that the judge gave, where the teacher gave others.
        comment: of the teacher.
    """

    exercise: str
    title: str
    status: str
    points: int
    max_points: int
    headline: str = ""
    lead: str = ""
    slip: str = ""
    counterexample: str = ""
    seconds: float = 0.0
    code: str = ""
    shape: str = ""
    judged: int | None = None
    comment: str = ""

    @property
    def passed(self) -> bool:
        return self.status == "passed"


@dataclass(frozen=True)
class Lateness:
    """When a notebook was due and when it came; points that are taken if that was late.

    Attributes:
        due, submitted: by this machine's clock; empty if it is not known.
        source: who says when it was submitted; empty if that is not known.
        hours: how late it is; 0 in time, None where a platform says no more than that it is.
        penalty: points.
        says: all this for the learner, in a sentence; empty in time.
    """

    due: str = ""
    submitted: str = ""
    hours: float | None = 0
    penalty: float = 0
    says: str = ""
    source: str = ""


@dataclass(frozen=True)
class NotebookResult:
    """What one notebook got.

    Attributes:
        name: short and distinct within a run; safe as the name of a folder.
        path: where it lies, as it was given.
        status: graded, unreadable, or not graded where the grader itself failed.
        reason: why it is not graded, in one line.
        lesson: the lesson that its exercises belong to.
        exercises: every exercise of that lesson, in the course's order.
        seconds: what grading it took.
        notes: for the teacher: doubts about the lesson, and code that may be worth a look.
        learner: whose it is, where that is known.
        hindered: whether something in it ran out of time that the machine did not give it, and
            it will be graded once more.
        late: what is known of when it came, where something was due.
        content: fingerprint of the text that was judged; empty if it was not graded.
        failed: the first thing in it that failed, in a clause; empty if nothing did.
    """

    name: str
    path: str
    status: str
    reason: str = ""
    lesson: str = ""
    exercises: tuple[ExerciseResult, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    learner: str = ""
    hindered: bool = False
    late: Lateness = Lateness()
    content: str = ""
    failed: str = ""

    @property
    def first_failure(self) -> str:
        """What failed first, for whoever handed it in; empty if nothing did."""
        return self.failed and f"The first thing that failed: {self.failed}."

    @property
    def remark(self) -> str:
        """Why it is not graded, or what a teacher may want to look at, in one line."""
        return self.reason or "; ".join(self.notes)

    @property
    def earned(self) -> int:
        """The points of all exercises."""
        return sum(result.points for result in self.exercises)

    @property
    def points(self) -> float:
        """The same, less what is taken for lateness."""
        return tidy_number(self.earned - self.late.penalty)

    @property
    def max_points(self) -> int:
        return sum(result.max_points for result in self.exercises)


def tidy_number(number: float) -> float:
    """A number with at most two decimals; without any, an ``int``."""
    number = round(number, 2)
    return int(number) if number == int(number) else number
