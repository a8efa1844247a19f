"""Grade one notebook."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from transformer_checks import catalogue
from transformer_checks.checks.cases import Case, Outcome
from transformer_checks.checks.earlier_answers import causes, listed
from transformer_checks.checks.exercise import Check
from transformer_checks.checks.judge import Verdict, judge
from transformer_checks.grading import submissions
from transformer_checks.grading.lessons import lesson_of
from transformer_checks.grading.notebook_session import Cell, NotebookSession
from transformer_checks.grading.results import ExerciseResult, NotebookResult
from transformer_checks.grading.sandbox.client import Limits, WorkerEnded
from transformer_checks.grading.sandbox.isolation import Isolation, choose
from transformer_checks.grading.sandbox.launch import StartFailed
from transformer_checks.grading.sandbox.poison import can_poison
from transformer_checks.grading.sandbox.reading import Unreadable
from transformer_checks.grading.sessions import Sessions
from transformer_checks.sanitize import sanitize_line


def grade_notebook(
    path: Path,
    name: str,
    seed: int,
    limits: Limits | None = None,
    *,
    isolation: Isolation | None = None,
    lesson: str = "",
    carried: float = 1.0,
) -> NotebookResult:
    """Grade one notebook.

    Args:
        path: the file; it is only read.
        name: see ``NotebookResult``.
        seed: of the inputs that the answers are called with.
        limits: what a notebook may take.
        isolation: how its code is isolated; None: as strongly as this machine allows.
        lesson: what it answers; empty: what it says itself.
        carried: the share of its points that an answer gets which is wrong only because an
            earlier one is.

    Raises:
        StartFailed: no worker can be started on this machine.
    """
    started = time.monotonic()
    where = sanitize_line(str(path))
    try:
        text = submissions.text_of(path)
        with Sessions(text, limits or Limits(), isolation or choose()) as sessions:
            cells = sessions.plain.cells
            lesson, doubt = (lesson, "") if lesson else lesson_of(cells)
            checks = catalogue.of_lesson(lesson)
            results = _grade_all(sessions, checks, seed, carried)
    except Unreadable as unreadable:
        return NotebookResult(
            name, where, "unreadable", str(unreadable), seconds=time.monotonic() - started
        )
    return NotebookResult(
        name,
        where,
        "graded",
        lesson=lesson,
        exercises=tuple(results),
        seconds=time.monotonic() - started,
        notes=tuple(filter(None, (doubt, _suspicion(cells)))),
    )


def _suspicion(cells: Sequence[Cell]) -> str:
    """What a teacher may want to look at."""
    reached = sorted({cell.reaches for cell in cells if cell.reaches})
    if not reached:
        return ""
    names = ", ".join(f"`{name}`" for name in reached)
    return f"it uses {names}, which could hide what an answer calls: have a look at the code"


def _grade_all(
    sessions: Sessions, checks: Sequence[Check], seed: int, carried: float
) -> list[ExerciseResult]:
    results: list[ExerciseResult] = []
    failed: list[Check] = []
    for check in checks:
        result = _grade_exercise(sessions, check, seed, failed, carried)
        if not result.passed and result.status != "follows":
            failed.append(check)
        results.append(result)
    return results


def _carried_forward(
    sessions: Sessions,
    check: Check,
    result: ExerciseResult,
    seed: int,
    failed: Sequence[Check],
    share: float,
) -> ExerciseResult:
    """The result of a wrong answer, unless it is right with the solutions of what it builds on."""
    session = sessions.other()
    used = session.uses(check, {one.answer for one in failed})

    def passes(instead: Sequence[Check]) -> bool:
        session.prepare()
        cases, deadline = check.cases(seed), time.monotonic() + session.limits.exercise
        outcomes = _called(session, check, cases, deadline, instead)
        return isinstance(outcomes, list) and _right(check, cases, outcomes)

    found = causes([one for one in failed if one.answer in used], passes)
    if not found:
        return result
    return replace(
        result,
        status="follows",
        points=int(share * check.points + 0.5),
        headline=f"it follows from {listed(found)}: with the right answer there, this one passes",
        lead=f"Mend {listed(found)} first.",
        slip="",
        counterexample="",
    )


def _grade_exercise(
    sessions: Sessions, check: Check, seed: int, failed: Sequence[Check], carried: float
) -> ExerciseResult:
    sessions.plain.prepare()  # not part of what the exercise took
    started = time.monotonic()
    try:
        result = _judged(sessions, check, seed)
        if result.status in ("wrong", "error") and failed:
            result = _carried_forward(sessions, check, result, seed, failed, carried)
    except StartFailed:
        raise
    except Exception as fault:  # what no answer should be able to cause costs this exercise alone
        headline = f"the grader failed on `{check.answer}`: {sanitize_line(repr(fault))}"
        result = _result(check, "error", headline, "Please report this: the fault is the course's.")
    code = _code(sessions.plain.cells, check)
    return replace(result, seconds=time.monotonic() - started, code=code)


def _code(cells: Sequence[Cell], check: Check) -> str:
    """The cell that answers an exercise: the last that defines it, or else gives it a value."""
    defining = [cell for cell in cells if check.answer in cell.functions]
    naming = [cell for cell in cells if check.answer in cell.names]
    return (defining or naming)[-1].code if naming else ""


def _judged(sessions: Sessions, check: Check, seed: int) -> ExerciseResult:
    session = sessions.plain
    deadline = time.monotonic() + session.limits.exercise
    cases = check.cases(seed)
    # The first once more; an open answer may use all of its time for one call.
    repeated = [] if check.rubric else cases[:1]
    outcomes = _called(session, check, [*cases, *repeated], deadline)
    if isinstance(outcomes, ExerciseResult):
        return outcomes
    outcomes, again = outcomes[: len(cases)], outcomes[len(cases) :]
    verdict = judge(check, cases[: len(outcomes)], outcomes)
    if not verdict.passed:
        return _from_verdict(check, verdict)
    if repeated:
        verdict = _of_second_call(check, judge(check, repeated, again))
    if verdict.passed and can_poison(check.forbidden):
        return _without_shortcuts(sessions, check, cases, verdict)
    return _from_verdict(check, verdict)


def _without_shortcuts(
    sessions: Sessions, check: Check, cases: Sequence[Case], verdict: Verdict
) -> ExerciseResult:
    """The result of a right answer: whether it is right where forbidden operators are wrong."""
    shortcuts = can_poison(check.forbidden)
    for session in sessions.poisoned(shortcuts):
        session.prepare()
        outcomes = _called(session, check, cases, time.monotonic() + session.limits.exercise)
        if isinstance(outcomes, list):
            without = _from_verdict(check, judge(check, cases[: len(outcomes)], outcomes))
        else:
            without = outcomes
        if without.passed:
            return _from_verdict(check, verdict)
    if without.status in ("timeout", "crashed"):  # this says nothing of shortcuts
        return without
    names = " or ".join(f"PyTorch's {name}" for name in sorted(shortcuts))
    headline = f"`{check.answer}` is right only with {names}, which this exercise is to build"
    return _result(check, "not allowed", headline, "Compute it yourself, from plain tensors.")


def _right(check: Check, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> bool:
    return judge(check, cases[: len(outcomes)], outcomes).passed


def _called(
    session: NotebookSession,
    check: Check,
    cases: Sequence[Case],
    deadline: float,
    instead: Sequence[Check] = (),
) -> list[Outcome] | ExerciseResult:
    """The outcomes, up to the first that settles the verdict; or the result, if there are none."""
    left = max(deadline - time.monotonic(), 0.01)
    try:
        outcomes = session.call(check, cases, left, instead)
    except WorkerEnded as ended:
        return _result(
            check,
            "crashed",
            f"calling `{check.answer}` {ended}",
            f"It happened with: {cases[ended.place].label}.",
        )
    return _missing(session, check, outcomes) if isinstance(outcomes, str) else outcomes


def _of_second_call(check: Check, verdict: Verdict) -> Verdict:
    """The verdict on an answer that was right, called once more with its first inputs."""
    if verdict.passed or verdict.status in ("timeout", "not allowed"):
        return verdict
    headline = f"`{check.answer}` was right once, and wrong with the same inputs again"
    lead = "Does it count its calls, keep a result that changes, or draw random numbers?"
    return replace(verdict, status="wrong", headline=headline, lead=lead, slip="")


def _missing(session: NotebookSession, check: Check, kind: str) -> ExerciseResult:
    """Say why there is nothing to call."""
    name = f"`{check.answer}`"
    if kind:
        headline = f"{name} is a {kind}; expected a function"
        return _result(check, "error", headline, f"Does a later cell reuse the name {name}?")
    for position, cell in reversed(list(enumerate(session.cells))):
        trouble = session.trouble.get(position)
        if trouble and check.answer in cell.names:
            headline = f"{name} is not defined: the cell `{cell.first_line}` "
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
