"""The exercises and what is done of them, as a table in a terminal or in piped output."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from notebook_judge.course import course
from notebook_judge.learning.progress import ExerciseProgress, LessonProgress

_STYLES = {"done": "blue", "tried": "yellow", "open": ""}
BAR_WIDTH = 24


def lessons_table(
    lessons: Sequence[LessonProgress], upcoming: ExerciseProgress | None
) -> RenderableType:
    """Each lesson with a bar, and its exercises; the one to do next is marked."""
    lines = [one for lesson in lessons for one in lesson.exercises]
    widths = (
        max((len(one.check.name) for one in lines), default=0),
        max((len(one.check.title) for one in lines), default=0),
    )
    parts: list[RenderableType] = []
    for lesson in lessons:
        parts += [_heading(lesson), _exercises(lesson, upcoming, widths), Text()]
    return Group(*parts)


def summary(
    lessons: Sequence[LessonProgress], upcoming: ExerciseProgress | None, folder: str
) -> Text:
    """What is done in all, and which exercise is next, in words."""
    done, number = sum(one.done for one in lessons), sum(len(one.exercises) for one in lessons)
    points, most = sum(one.points for one in lessons), sum(one.max_points for one in lessons)
    text = Text(f"{done} of {number} exercises done, {points} of {most} points.\n")
    if upcoming is None:
        return text.append("All of them are done.")
    check, tried = upcoming.check, upcoming.entry.state == "tried"
    text.append("Next: ", style="bold")
    text.append(f"{check.name}, exercise {upcoming.number} in {folder}/{check.lesson}.ipynb")
    text.append(f", {'tried already' if tried else f'about {check.minutes} minutes'}.\n")
    return text.append(f"Stuck? {course().name} hint {check.name}")


def bar(points: int, most: int) -> RenderableType:
    """A bar of what is earned."""
    return ProgressBar(total=most, completed=points, width=BAR_WIDTH, style="bright_black")


def _heading(lesson: LessonProgress) -> RenderableType:
    row = Table.grid(padding=(0, 2, 0, 0))
    words = f"{lesson.done} of {len(lesson.exercises)} done, {lesson.points} of "
    row.add_row(
        Text(lesson.title, style="bold"),
        Text(f"{words}{lesson.max_points} points"),
        bar(lesson.points, lesson.max_points),
    )
    return row


def _exercises(
    lesson: LessonProgress, upcoming: ExerciseProgress | None, widths: tuple[int, int]
) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True, min_width=6)
    table.add_column(justify="right", no_wrap=True, min_width=2)
    table.add_column(no_wrap=True, min_width=widths[0])
    table.add_column(max_width=widths[1], overflow="fold", ratio=None)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    for one in lesson.exercises:
        state = one.entry.state
        mark = "> " if upcoming and one.check is upcoming.check else "  "
        table.add_row(
            Text(mark + state, style=_STYLES[state]),
            str(one.number),
            Text(one.check.name, style="bold" if mark.strip() else ""),
            Text(one.check.title),
            f"{one.check.points} point{'s' * (one.check.points != 1)}",
            f"{one.check.minutes} min",
        )
    return table
