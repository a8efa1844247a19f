"""The progress panel: a notebook's exercises and the whole course, as HTML or as text."""

from collections.abc import Sequence
from html import escape

from notebook_judge.checks.panel import BLUE, ORANGE, PLAIN, framed
from notebook_judge.learning.progress import ExerciseProgress, LessonProgress
from notebook_judge.sentences import as_html

_MARKS = {"done": "✓", "tried": "•", "open": "○"}
_COLORS = {"done": BLUE, "tried": ORANGE, "open": "inherit"}
# JupyterLab's styles for tables would stripe and right-align them.
_TABLE = "style='border-collapse:collapse;margin:.5em 0;text-align:left'"
_CELL = "style='text-align:left;padding:.1em 1.2em .1em 0;background:transparent;border:0'"


class ProgressPanel:
    """What is done in one notebook, if one is given, and in the course."""

    def __init__(
        self, lesson: LessonProgress | None, course: Sequence[LessonProgress], note: str = ""
    ) -> None:
        """Show ``lesson`` exercise by exercise, ``course`` lesson by lesson, and a ``note``."""
        self._lesson, self._course, self._note = lesson, course, note

    def __repr__(self) -> str:
        parts = [f"{self._title}\n{self._lines_as_text()}"] if self._lesson else []
        parts.append(f"{_of_course(self._course)}\n{self._course_as_text()}")
        return "\n\n".join([*parts, *filter(None, [self._note])])

    def _repr_html_(self) -> str:
        course = self._course_as_html()
        note = f"<p {PLAIN}>{as_html(self._note)}</p>" if self._note else ""
        if self._lesson is None:
            return framed(self._title, BLUE, course + note)
        summary = escape(_of_course(self._course))
        folded = f"<details><summary>{summary}</summary>{course}</details>"
        return framed(self._title, BLUE, _bar(self._lesson) + self._lines_as_html() + folded + note)

    @property
    def _title(self) -> str:
        if self._lesson is None:
            return _of_course(self._course)
        return _points(self._lesson.name, [self._lesson])

    def _lines_as_text(self) -> str:
        assert self._lesson
        return "\n".join(
            f"{one.check.name}: {_state(one)}, {one.points} of {one.check.points} points"
            f"{', core' if one.check.core else ''}"
            for one in self._lesson.exercises
        )

    def _course_as_text(self) -> str:
        return "\n".join(
            f"{one.name}: {one.done} of {len(one.exercises)} done, "
            f"{one.points} of {one.max_points} points"
            for one in self._course
        )

    def _lines_as_html(self) -> str:
        assert self._lesson
        rows = [
            [
                _marked(one),
                f"{one.number}. {escape(one.check.title)}",
                f"<code>{escape(one.check.name)}</code>",
                f"{one.points} of {one.check.points}",
                f"{one.check.minutes} min{', core' if one.check.core else ''}",
            ]
            for one in self._lesson.exercises
        ]
        return _table(("state", "exercise", "its name", "points", "time"), rows)

    def _course_as_html(self) -> str:
        rows = [
            [
                escape(one.title),
                _bar(one),
                f"{one.done} of {len(one.exercises)}",
                f"{one.points} of {one.max_points}",
            ]
            for one in self._course
        ]
        return _table(("lesson", "", "done", "points"), rows)


def _points(name: str, lessons: Sequence[LessonProgress]) -> str:
    points, most = sum(one.points for one in lessons), sum(one.max_points for one in lessons)
    return f"{name}: {points} of {most} points"


def _of_course(lessons: Sequence[LessonProgress]) -> str:
    core = [one for lesson in lessons for one in lesson.exercises if one.check.core]
    done = sum(one.done for one in core)
    return f"{_points('the course', lessons)}, {done} of {len(core)} exercises of the core way"


def _state(one: ExerciseProgress) -> str:
    """The state in words, with what the last check said of an answer that did not pass."""
    state = f"tried, {one.entry.status}" if one.entry.state == "tried" else one.entry.state
    return f"{state}, passed once" if one.entry.passed_once and not one.done else state


def _marked(one: ExerciseProgress) -> str:
    state = one.entry.state
    mark = f"<span aria-hidden='true' style='color:{_COLORS[state]}'>{_MARKS[state]}</span>"
    return f"{mark} {escape(_state(one))}"


def _bar(lesson: LessonProgress) -> str:
    share = 100 * lesson.points / max(lesson.max_points, 1)
    words = f"{lesson.points} of {lesson.max_points} points"
    return (
        f"<div role='img' aria-label='{words}' style='width:12em;height:.6em;margin:.3em 0;"
        f"border:1px solid {BLUE};border-radius:.3em;overflow:hidden'>"
        f"<div style='width:{share:.0f}%;height:100%;background:{BLUE}'></div></div>"
    )


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the cells of ``rows`` are HTML already."""
    head = "".join(f"<th scope='col' {_CELL}>{heading}</th>" for heading in headings)
    body = "".join(
        f"<tr style='background:transparent'>{''.join(f'<td {_CELL}>{c}</td>' for c in row)}</tr>"
        for row in rows
    )
    return f"<table {_TABLE}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
