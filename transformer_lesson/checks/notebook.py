"""What a learner calls in a notebook: check, hint and progress."""

from collections.abc import Callable
from typing import Any

from IPython.display import display

from transformer_lesson.checks import catalogue
from transformer_lesson.checks.calls import call_all
from transformer_lesson.checks.judge import Verdict, judge
from transformer_lesson.checks.panel import Panel, hint_panel, verdict_panel

_verdicts: dict[str, Verdict] = {}
_hints_given: dict[str, int] = {}


class NotPassed(Exception):
    """Marks the cell as failed, for nbval and for "run all"; the panel has said why."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(f"{verdict.check}: {_brief(verdict)}")

    def _render_traceback_(self) -> list[str]:
        # IPython asks for this: one line instead of a stack trace through the course's code.
        return [str(self)]


def check(name: str, answer: Callable[..., Any]) -> None:
    """Check an answer and show a panel that names the first thing that is wrong.

    Args:
        name: the exercise, such as ``"attention.softmax"``.
        answer: what you wrote: a function, or anything that can be called like it.

    Raises:
        KeyError: no exercise has that name.
        TypeError: the answer cannot be called.
        NotPassed: the answer is missing or wrong; the panel above it says what to do.
    """
    exercise = catalogue.find(name)
    if not callable(answer):
        raise TypeError(
            f"check({name!r}, …) needs the function itself; it was given a "
            f"{type(answer).__name__}. Write check({name!r}, {exercise.answer})."
        )
    cases = exercise.cases(seed=0)
    outcomes = call_all(exercise, answer, cases)
    verdict = judge(exercise, cases[: len(outcomes)], outcomes)
    _verdicts[name] = verdict
    display(verdict_panel(exercise, verdict))
    if not verdict.passed:
        raise NotPassed(verdict)


def hint(name: str) -> None:
    """Show the next hint for an exercise; after the last one, the last again.

    Raises:
        KeyError: no exercise has that name.
    """
    exercise = catalogue.find(name)
    number = min(_hints_given.get(name, 0) + 1, len(exercise.hints))
    _hints_given[name] = number
    display(hint_panel(exercise, number))


def progress(lesson: str) -> None:
    """Show which exercises of a lesson this kernel has seen pass, and the points so far.

    Args:
        lesson: name of its notebook, such as ``"02_self_attention"``.

    Raises:
        KeyError: no exercise belongs to that lesson.
    """
    exercises = catalogue.of_lesson(lesson)
    lines = []
    for exercise in exercises:
        verdict = _verdicts.get(exercise.name)
        status = verdict.status if verdict else "not checked yet"
        earned = verdict.points if verdict else 0
        lines.append(f"{exercise.name}: {status}, {earned} of {exercise.points} points")
    earned = sum(_verdicts[e.name].points for e in exercises if e.name in _verdicts)
    total = sum(exercise.points for exercise in exercises)
    display(Panel(f"{lesson}: {earned} of {total} points", "#0072b2", lines))


def _brief(verdict: Verdict) -> str:
    return "not yet" if verdict.status == "not attempted" else verdict.status
