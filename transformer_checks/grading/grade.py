"""One notebook in, its results out."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from transformer_checks.checks.cases import Case, Outcome
from transformer_checks.checks.exercise import Check
from transformer_checks.checks.judge import Verdict, judge
from transformer_checks.grading import notebooks
from transformer_checks.grading.isolation import Isolation, choose
from transformer_checks.grading.notebooks import Cell, Unreadable
from transformer_checks.grading.session import Limits, Session, WorkerEnded
from transformer_checks.grading.wire import clean


@dataclass(frozen=True)
class ExerciseResult:
    """What a notebook got for one exercise. Name, title and worth come from the course.

    Attributes:
        status: passed, wrong, error, timeout, crashed, not allowed or not attempted.
        headline: the first thing that is wrong; empty if nothing is.
        lead: what to try next.
        misconception: handle of the known mistake, empty if it is none.
        counterexample: the smallest case that shows it.
    """

    exercise: str
    title: str
    status: str
    points: int
    max_points: int
    headline: str = ""
    lead: str = ""
    misconception: str = ""
    counterexample: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        return self.status == "passed"


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
    """

    name: str
    path: str
    status: str
    reason: str = ""
    lesson: str = ""
    exercises: tuple[ExerciseResult, ...] = ()
    seconds: float = 0.0

    @property
    def points(self) -> int:
        return sum(result.points for result in self.exercises)

    @property
    def max_points(self) -> int:
        return sum(result.max_points for result in self.exercises)


def grade(
    path: Path,
    name: str,
    seed: int,
    limits: Limits | None = None,
    *,
    isolation: Isolation | None = None,
) -> NotebookResult:
    """Grade one notebook.

    Args:
        path: the file; it is only read.
        name: see ``NotebookResult``.
        seed: of the inputs that the answers are called with.
        limits: what a notebook may take.
        isolation: the walls around its code; None: the strongest that this machine has.

    Raises:
        StartFailed: no worker can be started on this machine.
    """
    started = time.monotonic()
    where = clean(str(path), 4096)
    try:
        cells = notebooks.read(path)
        checks = notebooks.exercises(cells)
    except Unreadable as unreadable:
        return NotebookResult(
            name, where, "unreadable", str(unreadable), seconds=time.monotonic() - started
        )
    walls = isolation or choose("auto")
    with Session([cell.source for cell in cells], limits or Limits(), walls) as session:
        results = tuple(_grade_exercise(session, cells, check, seed) for check in checks)
    return NotebookResult(
        name,
        where,
        "graded",
        lesson=checks[0].lesson,
        exercises=results,
        seconds=time.monotonic() - started,
    )


def _grade_exercise(
    session: Session, cells: Sequence[Cell], check: Check, seed: int
) -> ExerciseResult:
    session.prepare()  # not part of what the exercise took
    started = time.monotonic()
    result = _judged(session, cells, check, seed)
    return replace(result, seconds=time.monotonic() - started)


def _judged(session: Session, cells: Sequence[Cell], check: Check, seed: int) -> ExerciseResult:
    deadline = time.monotonic() + session.limits.exercise
    cases = check.cases(seed)
    outcomes = _called(session, cells, check, cases, deadline)
    if isinstance(outcomes, ExerciseResult):
        return outcomes
    verdict = judge(check, cases[: len(outcomes)], outcomes)
    if not verdict.passed:
        return _from_verdict(check, verdict)
    if reached := next((cell.reaches for cell in cells if cell.reaches), ""):
        headline = f"the notebook uses `{reached}`, which could hide what an answer calls"
        return _result(check, "not allowed", headline, "Answer without it.")
    again = _called(session, cells, check, cases[:1], deadline)
    if isinstance(again, ExerciseResult):
        return again
    return _from_verdict(check, _of_second_call(check, judge(check, cases[:1], again)))


def _called(
    session: Session, cells: Sequence[Cell], check: Check, cases: Sequence[Case], deadline: float
) -> list[Outcome] | ExerciseResult:
    """The outcomes up to the first that ends the matter, or the result where there are none."""
    outcomes = list[Outcome]()
    for case in cases:
        left = max(deadline - time.monotonic(), 0.01)
        try:
            outcome = session.call(check, case, left)
        except WorkerEnded as ended:
            return _result(
                check,
                "crashed",
                f"calling `{check.answer}` {ended}",
                f"It happened with: {case.label}.",
            )
        if isinstance(outcome, str):
            return _missing(session, cells, check, outcome)
        outcomes.append(outcome)
        if outcome.unanswered or outcome.timed_out:
            break
    return outcomes


def _of_second_call(check: Check, verdict: Verdict) -> Verdict:
    """The verdict on an answer that was right, called once more with its first inputs."""
    if verdict.passed or verdict.status in ("timeout", "not allowed"):
        return verdict
    headline = f"`{check.answer}` was right once, and wrong with the same inputs again"
    lead = "Does it count its calls, keep a result that changes, or draw random numbers?"
    return replace(verdict, status="wrong", headline=headline, lead=lead, misconception="")


def _missing(session: Session, cells: Sequence[Cell], check: Check, kind: str) -> ExerciseResult:
    """Say why there is nothing to call."""
    name = f"`{check.answer}`"
    if kind:
        headline = f"{name} is a {kind}; expected a function"
        return _result(check, "error", headline, f"Does a later cell reuse the name {name}?")
    for position in reversed(range(len(cells))):
        trouble = session.trouble.get(position)
        if trouble and check.answer in cells[position].defines:
            headline = f"{name} is not defined: the cell `{cells[position].first_line}` "
            lead = (
                "Restart the kernel and run all cells: the first that fails is the one to repair."
            )
            return _result(check, trouble.status, headline + trouble.words, lead)
    lead = f"Define {name}, or take its cell from the exercise notebook again."
    return _result(check, "not attempted", f"{name} is not defined in this notebook", lead)


def _result(check: Check, status: str, headline: str, lead: str) -> ExerciseResult:
    return ExerciseResult(check.name, check.title, status, 0, check.points, headline, lead)


def _from_verdict(check: Check, verdict: Verdict) -> ExerciseResult:
    return ExerciseResult(
        check.name,
        check.title,
        verdict.status,
        verdict.points,
        check.points,
        verdict.headline,
        verdict.lead,
        verdict.misconception,
        verdict.counterexample,
    )
