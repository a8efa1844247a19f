"""Grade one notebook."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from transformer_checks.checks.cases import Case, Outcome
from transformer_checks.checks.exercise import Check
from transformer_checks.checks.judge import Verdict, judge
from transformer_checks.grading import submissions
from transformer_checks.grading.notebook_session import NotebookSession
from transformer_checks.grading.results import ExerciseResult, NotebookResult
from transformer_checks.grading.sandbox.client import Limits, WorkerEnded
from transformer_checks.grading.sandbox.isolation import Isolation, choose
from transformer_checks.grading.sandbox.launch import StartFailed
from transformer_checks.grading.submissions import Cell, Unreadable
from transformer_checks.sanitize import sanitize_line


def grade_notebook(
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
        isolation: how its code is isolated; None: as strongly as this machine allows.

    Raises:
        StartFailed: no worker can be started on this machine.
    """
    started = time.monotonic()
    where = sanitize_line(str(path))
    try:
        cells = submissions.read(path)
        checks = submissions.exercises(cells)
    except Unreadable as unreadable:
        return NotebookResult(
            name, where, "unreadable", str(unreadable), seconds=time.monotonic() - started
        )
    isolation = isolation or choose()
    sources = [cell.source for cell in cells]
    with NotebookSession(sources, limits or Limits(), isolation) as session:
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
    session: NotebookSession, cells: Sequence[Cell], check: Check, seed: int
) -> ExerciseResult:
    session.prepare()  # not part of what the exercise took
    started = time.monotonic()
    try:
        result = _judged(session, cells, check, seed)
    except StartFailed:
        raise
    except Exception as fault:  # what no answer should be able to cause costs this exercise alone
        headline = f"the grader failed on `{check.answer}`: {sanitize_line(repr(fault))}"
        result = _result(check, "error", headline, "Please report this: the fault is the course's.")
    return replace(result, seconds=time.monotonic() - started)


def _judged(
    session: NotebookSession, cells: Sequence[Cell], check: Check, seed: int
) -> ExerciseResult:
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
    session: NotebookSession,
    cells: Sequence[Cell],
    check: Check,
    cases: Sequence[Case],
    deadline: float,
) -> list[Outcome] | ExerciseResult:
    """The outcomes, up to the first that settles the verdict; or the result, if there are none."""
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
    return replace(verdict, status="wrong", headline=headline, lead=lead, slip="")


def _missing(
    session: NotebookSession, cells: Sequence[Cell], check: Check, kind: str
) -> ExerciseResult:
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
        verdict.slip,
        verdict.counterexample,
    )
