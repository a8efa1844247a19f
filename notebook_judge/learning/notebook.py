"""What a learner calls in a notebook: check, hint and progress."""

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_judge.catalogue import catalogue
from notebook_judge.checks.calls import call_all
from notebook_judge.checks.earlier_answers import causes, listed, replaced, stand_in, uses
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.judge import Judgement, judge
from notebook_judge.checks.modes import judging
from notebook_judge.checks.panel import GREY, Panel, hint_panel, verdict_panel
from notebook_judge.learning.progress import course_progress, lesson_names, lesson_progress
from notebook_judge.learning.progress_panel import ProgressPanel
from notebook_judge.learning.record import Record

if TYPE_CHECKING:
    from IPython.display import DisplayHandle


def _start_folder() -> Path:
    """The folder of the notebook: a kernel starts there."""
    try:
        return Path.cwd()
    except OSError:  # it was removed meanwhile
        return Path(os.curdir)


SEEDS = 4
SECONDS = 0.4  # of processor time; then no other seed is begun

_record = Record(_start_folder())
# The newest panels on the page: the lesson that each shows (None: the course), and its handle.
_shown: deque[tuple[str | None, "DisplayHandle"]] = deque(maxlen=8)
_said: set[str] = set()
# The lesson that this notebook belongs to, as far as is known.
_lesson: str | None = None


class NotPassed(Exception):
    """Marks the cell as failed, for nbval and for "run all"; the panel has said why."""

    def __init__(self, verdict: Judgement) -> None:
        super().__init__(f"{verdict.check}: {_brief(verdict)}")

    def _render_traceback_(self) -> list[str]:
        # IPython asks for this: one line instead of a stack trace through the course's code.
        return [str(self)]


@judging()
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
    exercise = catalogue().find(name)
    if not callable(answer):
        raise TypeError(
            f"check({name!r}, …) needs the function itself; it was given a "
            f"{type(answer).__name__}. Write check({name!r}, {exercise.answer})."
        )
    verdict = _judged(exercise, answer)
    if verdict.status in ("wrong", "error") and (found := _causes(exercise, answer)):
        lead = f"It follows from {listed(found)}: with the right answer there, this one passes."
        verdict = replace(verdict, lead=lead)
    _show(verdict_panel(exercise, verdict))
    _note(exercise.lesson, verdict)
    if not verdict.passed:
        raise NotPassed(verdict)


def _judged(exercise: Check, answer: Callable[..., Any]) -> Judgement:
    """Judge by several draws, as the grader draws anew; a slow answer by fewer."""
    start = time.process_time()
    for seed in range(SEEDS):
        cases = exercise.cases(seed)
        outcomes = call_all(exercise, answer, cases)
        verdict = judge(exercise, cases[: len(outcomes)], outcomes)
        if not verdict.passed or time.process_time() - start > SECONDS:
            break
    return verdict


def _causes(exercise: Check, answer: Callable[..., Any]) -> list[Check]:
    """The earlier exercises whose wrong answers alone make this one wrong."""
    names = vars(sys.modules.get(answer.__module__) or sys.modules["__main__"])
    used = uses(answer, names) & names.keys()
    lesson = catalogue().of_lesson(exercise.lesson)
    before = [one for one in lesson[: lesson.index(exercise)] if one.answer in used]

    def passes(instead: Sequence[Check]) -> bool:
        with replaced(names, {one.answer: stand_in(one.answer, one.text.whole) for one in instead}):
            return _judged(exercise, answer).passed

    return causes([one for one in before if not _judged(one, names[one.answer]).passed], passes)


def hint(name: str, number: int | None = None) -> None:
    """Show the next hint for an exercise; after the last one, the last again.

    Args:
        name: the exercise, such as ``"attention.softmax"``.
        number: a hint to read again, counted from 1.

    Raises:
        KeyError: no exercise has that name.
        ValueError: it has no hint of that number.
    """
    exercise = catalogue().find(name)
    given, most = _record.entry(name).hints, len(exercise.hints)
    if number is not None and not 1 <= number <= most:
        raise ValueError(f"{name} has hints 1 to {most}; there is no hint {number}")
    number = number or min(given + 1, most)
    _record.note_hints(name, max(given, number))
    _show(hint_panel(exercise, number))


def progress(lesson: str | None = None) -> None:
    """Show which exercises are done, and the points so far. The panel follows every check.

    In the course's own notebooks, where nothing counts, it shows what was done in the exercises.

    Args:
        lesson: name of a notebook, such as ``"02_self_attention"``; None shows this notebook's,
            or the course alone where that cannot be known.

    Raises:
        KeyError: no exercise belongs to that lesson.
    """
    lesson = lesson or _this_lesson()
    if handle := _show(_progress_panel(lesson), display_id=True):
        _shown.append((lesson, handle))


def _show(shown: Panel | ProgressPanel, **options: bool) -> "DisplayHandle | None":
    # A kernel holds IPython already; elsewhere it takes longer than all the checks.
    from IPython.display import display

    return display(shown, **options)


def _progress_panel(lesson: str | None) -> ProgressPanel:
    record = _record.of_the_learner()
    return ProgressPanel(
        lesson_progress(lesson, record) if lesson else None, course_progress(record), record.trouble
    )


def _note(lesson: str, verdict: Judgement) -> None:
    """Keep a verdict, renew the panels on the page, and say once if it cannot be kept."""
    global _lesson
    _lesson = lesson
    _record.note_status(verdict.check, verdict.status)
    for shown, handle in _shown:
        handle.update(_progress_panel(shown))
    if _record.trouble and _record.trouble not in _said:
        _said.add(_record.trouble)
        lasting = "Until then it counts for as long as this kernel runs."
        _show(Panel("Progress cannot be kept", GREY, [_record.trouble, lasting]))


def _this_lesson() -> str | None:
    """The lesson of the check that ran last; before the first, of the notebook's own name."""
    opened = Path(os.environ.get("JPY_SESSION_NAME", "")).stem  # set by JupyterLab
    return _lesson or (opened if opened in lesson_names() else None)


def _brief(verdict: Judgement) -> str:
    return "not yet" if verdict.status == "not attempted" else verdict.status
