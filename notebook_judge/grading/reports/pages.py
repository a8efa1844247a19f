"""Pages of HTML: one that a teacher reads on the class, and one for each learner."""

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import PurePath
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from notebook_judge.course import course
from notebook_judge.grading.jobs import RunInfo
from notebook_judge.grading.learners import Roster
from notebook_judge.grading.reports.matrix import matrix_of
from notebook_judge.grading.reports.statistics import COMMON, FEWEST, by_lesson
from notebook_judge.grading.results import ExerciseResult, NotebookResult
from notebook_judge.palette import REPORTS
from notebook_judge.sanitize import sanitize
from notebook_judge.sentences import as_html

# What each verdict means, for someone who meets it for the first time.
MEANINGS = {
    "passed": "Every value is right, on inputs that the notebook could not know.",
    "follows": "It is wrong only because an answer before it is.",
    "wrong": "It ran, and what it returned is not what it should be.",
    "error": "It raised an error.",
    "timeout": "It took too long and was stopped.",
    "crashed": "It ended the process that ran it.",
    "not allowed": "It calls what it was to build.",
    "not attempted": "There is no answer yet.",
}
# What an answer's failure follows from, where its headline says it: a cell, or a missing name.
_FAILED = re.compile(r"the cell `.*` .*|NameError: name '\w+' is not defined")


def class_page(
    run: RunInfo,
    results: Sequence[NotebookResult],
    links: Mapping[str, str],
    roster: Roster | None = None,
    remarks: Sequence[str] = (),
) -> str:
    """The page on a class.

    Args:
        run: the circumstances.
        results: of all notebooks, in the order in which they are listed.
        links: by the name of a notebook, where its own page stands.
        roster: the class; None: nothing is known of it.
        remarks: for the teacher, on the table of the class and on the overrides.
    """
    matrix = matrix_of(results, roster or Roster())
    return _TEMPLATES.get_template("class.html.jinja").render(
        run=run,
        results=results,
        links=links,
        matrix=matrix,
        remarks=remarks,
        lessons=by_lesson(matrix.counted()),
        times=Counter(one.late.source for one in results if one.late.source),
        by_hand=sum(is_by_hand(e) for result in results for e in result.exercises),
        script=_SCRIPT,
        script_hash=_SCRIPT_HASH,
        statuses=Counter(result.status for result in results),
        missing=max(run.expected - len(results), 0),
    )


def notebook_page(result: NotebookResult, full_name: str = "") -> str:
    """The page on one notebook; without a full name it has the learner's short one."""
    return _TEMPLATES.get_template("notebook.html.jinja").render(
        result=result,
        file=PurePath(result.path).name or result.name,
        learner=full_name or result.learner,
        passed=sum(exercise.passed for exercise in result.exercises),
        to_mend=_mistakes(result.exercises),
        follow=[exercise for exercise in result.exercises if exercise.status == "follows"],
        right=[exercise for exercise in result.exercises if exercise.passed],
        meanings=MEANINGS,
    )


def _mistakes(
    exercises: Sequence[ExerciseResult],
) -> list[tuple[ExerciseResult, list[ExerciseResult]]]:
    """What is to be mended, each with the later ones that fail by the same: they need no words."""
    mistakes: dict[str | int, tuple[ExerciseResult, list[ExerciseResult]]] = {}
    for exercise in exercises:
        if exercise.status in ("passed", "follows"):
            continue
        failed = _FAILED.search(exercise.headline)
        key = failed[0] if failed else len(mistakes)
        if key in mistakes:
            mistakes[key][1].append(exercise)
        else:
            mistakes[key] = exercise, []
    return list(mistakes.values())


def is_by_hand(exercise: ExerciseResult) -> bool:
    """Whether the teacher decided on this answer or commented on it."""
    return exercise.judged is not None or bool(exercise.comment)


def lesson_title(lesson: str) -> str:
    """``02_self_attention`` as a heading."""
    number, _, name = lesson.partition("_")
    words = name.replace("_", " ")
    return f"{number} · {words[:1].upper()}{words[1:]}" if words else lesson


def counted(number: int, noun: str) -> str:
    """``1 notebook``, ``2 notebooks``."""
    return f"{number} {noun}{'s' * (number != 1)}"


def duration(seconds: float) -> str:
    """``59 s``, ``2 min 5 s``."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _plain(value: Any) -> Any:
    """What a template inserts: text is sanitized, and then escaped unless it is markup."""
    return sanitize(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _properties(theme: Mapping[str, str]) -> str:
    """The colors of a theme as custom properties of CSS."""
    return " ".join(f"--{name}: {color};" for name, color in theme.items())


_TEMPLATES = Environment(
    loader=PackageLoader(__package__),
    autoescape=True,
    finalize=_plain,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_SCRIPT = Markup(files(__package__).joinpath("templates/class.js").read_text(encoding="utf-8"))
# The page's own rule allows this script and no other.
_SCRIPT_HASH = b64encode(sha256(_SCRIPT.encode()).digest()).decode()
_TEMPLATES.globals |= {
    "the_course": course,
    "themes": REPORTS,
    "properties": _properties,
    "fewest": FEWEST,
}
_TEMPLATES.globals["common"] = COMMON
_TEMPLATES.filters |= {
    function.__name__: function for function in (as_html, lesson_title, counted, duration)
}
