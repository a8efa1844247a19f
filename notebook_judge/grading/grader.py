"""Grade one notebook."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from notebook_judge.catalogue import catalogue
from notebook_judge.checks.cases import Case, Outcome
from notebook_judge.checks.earlier_answers import builds_on, causes, listed
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.judge import Judgement, judge
from notebook_judge.checks.shortcuts import WATCHED
from notebook_judge.grading import submissions
from notebook_judge.grading.lessons import lesson_of
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.notebook_session import (
    NOT_HERE,
    Cell,
    NotebookSession,
    OutOfTime,
    not_here,
)
from notebook_judge.grading.results import ExerciseResult, NotebookResult
from notebook_judge.grading.sandbox.client import WorkerEnded
from notebook_judge.grading.sandbox.isolation import Isolation, choose
from notebook_judge.grading.sandbox.launch import StartFailed
from notebook_judge.grading.sandbox.poison import can_poison
from notebook_judge.grading.sandbox.reading import Unreadable
from notebook_judge.grading.sessions import Sessions
from notebook_judge.sanitize import sanitize_line


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
            checks = catalogue().of_lesson(lesson)
            sessions.plain.exercises = checks
            results = _grade_all(sessions, checks, seed, carried)
            hindered, failed = sessions.hindered, _first_failure(sessions.plain)
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
        hindered=hindered,
        content=submissions.fingerprint(text),
        failed=failed,
    )


def _first_failure(session: NotebookSession) -> str:
    """What failed first in a notebook, but for checks of answers that are missing."""
    for position, trouble in sorted(session.trouble.items()):
        cell = session.cells[position]
        if cell.names or not cell.checks:
            return f"the cell `{cell.first_line}` {trouble.words}"
    return ""


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
    for check in checks:
        started = time.monotonic()
        try:
            sessions.plain.prepare()
            started = time.monotonic()  # to run the cells is not part of what the exercise took
            result = _graded(sessions, checks, results, seed, carried)
        except StartFailed:
            raise
        except OutOfTime:
            result = _never_called(check, sessions.plain.limits)
        except Exception as fault:  # what no answer should be able to cause costs this one alone
            headline = f"the grader failed on `{check.answer}`: {sanitize_line(repr(fault))}"
            lead = "Please report this: the fault is the course's."
            result = _result(check, "error", headline, lead)
        cells = [sessions.plain.cells[at] for at in sessions.plain.defining(check)]
        code, shape = ("".join(getattr(cell, part) for cell in cells) for part in ("code", "shape"))
        seconds = time.monotonic() - started
        results.append(replace(result, seconds=seconds, code=code, shape=shape))
    return results


def _graded(
    sessions: Sessions,
    checks: Sequence[Check],
    results: Sequence[ExerciseResult],
    seed: int,
    carried: float,
) -> ExerciseResult:
    """The result of the first exercise that has none yet."""
    earlier, check = checks[: len(results)], checks[len(results)]
    failed = [one for one, result in zip(earlier, results, strict=True) if not _is_right(result)]
    used, suspects = _suspects(sessions.plain, check, earlier, failed)
    late = {one.exercise for one in results if one.status == "timeout"}
    endless = [one for one in suspects if one.name in late and one.answer in used]
    # Who calls what never ends waits for as long; where it costs no points, not even once.
    if endless and carried == 1:
        found = _carried_forward(sessions, check, seed, suspects, endless, carried)
        return found or _waits(check, endless)
    result = _judged(sessions, check, seed)
    empty = result.status == "not attempted" and not used
    if not suspects or empty or _is_right(result):
        return result
    always = suspects if result.status == "timeout" else ()  # once more is enough
    return _carried_forward(sessions, check, seed, suspects, always, carried) or result


def _waits(check: Check, endless: Sequence[Check]) -> ExerciseResult:
    """The result of an answer that calls what never ends, and is not right without that either."""
    headline = f"it calls {listed(endless)}, which gave no result within the time limit"
    lead = "With the right answer there it does not pass either; it is called once that one ends."
    return _result(check, "timeout", headline, lead)


def _never_called(check: Check, limits: Limits) -> ExerciseResult:
    most = f"the notebook took longer than {limits.notebook:.3g} s by the clock"
    lead = "Cells and answers share this time. Which of them waits, or never comes to an end?"
    return _result(check, "timeout", f"there was no time left to call it: {most}", lead)


def _is_right(result: ExerciseResult) -> bool:
    return result.status in ("passed", "follows")


def _suspects(
    session: NotebookSession, check: Check, earlier: Sequence[Check], failed: Sequence[Check]
) -> tuple[set[str], list[Check]]:
    """The failed answers that this one names, and the exercises that it, or its solution, needs."""
    if not failed:
        return set(), []
    used = session.uses(check, {one.answer for one in failed})
    needed = used | {one.answer for one in builds_on(check, earlier)}
    return used, [one for one in failed if one.answer in needed]


def _carried_forward(
    sessions: Sessions,
    check: Check,
    seed: int,
    suspects: Sequence[Check],
    always: Sequence[Check],
    share: float,
) -> ExerciseResult | None:
    """The result of an answer that is right with the solutions of what it builds on, if it is.

    Forbidden operators are wrong there: what it says cannot rest on them. Those of the suspects
    that are in ``always`` are never called; where it takes too long without them, that is enough.
    """
    cases = check.cases(seed)

    def passes(instead: Sequence[Check]) -> bool:
        for session in sessions.poisoned(can_poison(check.forbidden, check.allowed)):
            session.prepare()
            outcomes = _called(session, check, cases, instead)
            if isinstance(outcomes, list) and _right(check, cases, outcomes):
                return True
            if isinstance(outcomes, list) and outcomes[-1].timed_out and always:
                raise TimeoutError
        return False

    try:
        found = causes(suspects, passes, always)
    except TimeoutError:
        return None
    if not found:
        return None
    headline = f"it follows from {listed(found)}: with the right answer there, this one passes"
    result = _result(check, "follows", headline, f"Mend {listed(found)} first.")
    return replace(result, points=int(share * check.points + 0.5))


def _judged(sessions: Sessions, check: Check, seed: int) -> ExerciseResult:
    session = sessions.plain
    cases = check.cases(seed)
    # The first once more; an open answer may use all of its time for one call.
    repeated = [] if check.rubric else cases[:1]
    outcomes = _called(session, check, [*cases, *repeated])
    if isinstance(outcomes, ExerciseResult):
        return outcomes
    outcomes, again = outcomes[: len(cases)], outcomes[len(cases) :]
    verdict = judge(check, cases[: len(outcomes)], outcomes)
    if not verdict.passed:
        result = _from_verdict(check, verdict)
        cause = _cause(session, result.headline) if result.status == "error" else ""
        return replace(result, lead=cause or result.lead)
    if repeated:
        verdict = _of_second_call(check, judge(check, repeated, again))
    # An open answer may use all of its time for one call.
    if verdict.passed and not (check.rubric and check.forbidden <= WATCHED):
        return _without_shortcuts(sessions, check, cases, verdict)
    return _from_verdict(check, verdict)


def _without_shortcuts(
    sessions: Sessions, check: Check, cases: Sequence[Case], verdict: Judgement
) -> ExerciseResult:
    """The result of a right answer: whether it is right where all that is forbidden is useless."""
    for session in sessions.poisoned(can_poison(check.forbidden, check.allowed)):
        session.prepare()
        outcomes = _called(session, check, cases)
        if isinstance(outcomes, list):
            without = _from_verdict(check, judge(check, cases[: len(outcomes)], outcomes))
        else:
            without = outcomes
        if without.passed:
            return _from_verdict(check, verdict)
    if without.status in ("timeout", "crashed"):  # this says nothing of shortcuts
        return without
    banned = [f"PyTorch's {name}" for name in sorted(check.forbidden - WATCHED)]
    names = " or ".join([*banned, "this course's own functions"])
    headline = f"`{check.answer}` is right only with {names}, which this exercise is to build"
    return _result(check, "not allowed", headline, "Compute it yourself, from plain tensors.")


def _right(check: Check, cases: Sequence[Case], outcomes: Sequence[Outcome]) -> bool:
    return judge(check, cases[: len(outcomes)], outcomes).passed


def _called(
    session: NotebookSession, check: Check, cases: Sequence[Case], instead: Sequence[Check] = ()
) -> list[Outcome] | ExerciseResult:
    """The outcomes, up to the first that settles the verdict; or the result, if there are none."""
    try:
        outcomes = session.call(check, cases, instead)
    except WorkerEnded as ended:
        return _result(
            check,
            "crashed",
            f"calling `{check.answer}` {ended}",
            f"It happened with: {cases[ended.place].label}.",
        )
    return _missing(session, check, outcomes) if isinstance(outcomes, str) else outcomes


def _of_second_call(check: Check, verdict: Judgement) -> Judgement:
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
            lead = _cause(session, trouble.words) or (
                "Restart the kernel and run all cells: the first that fails is the one to repair."
            )
            return _result(check, trouble.status, headline + trouble.words, lead)
    lead = f"Define {name}, or take its cell from the exercise notebook again."
    return _result(check, "not attempted", f"{name} is not defined in this notebook", lead)


def _cause(session: NotebookSession, words: str) -> str:
    """What an error follows from, where it does so from what is missing on this machine."""
    if absent := not_here(words):
        return f"It needs {absent}"
    if NOT_HERE in words:
        return "It may run elsewhere; here the answer has to do without it."
    undefined = re.search(r"NameError: name '(\w+)' is not defined", words)
    for position, trouble in sorted(session.trouble.items()):
        if undefined and undefined[1] in trouble.lost and NOT_HERE in trouble.words:
            line = session.cells[position].first_line
            return f"`{undefined[1]}` is missing because the cell `{line}` {trouble.words}"
    return ""


def _result(check: Check, status: str, headline: str, lead: str) -> ExerciseResult:
    return ExerciseResult(check.name, check.title, status, 0, check.points, headline, lead)


def _from_verdict(check: Check, verdict: Judgement) -> ExerciseResult:
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
