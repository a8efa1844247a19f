"""The page that a learner reads: what each exercise got, and what to mend first."""

from pathlib import PurePath

from transformer_checks.grading.reports.html import (
    Markup,
    bar,
    element,
    lesson_title,
    prose,
    submitted,
    table,
    together,
)
from transformer_checks.grading.reports.html import (
    page as whole_page,
)
from transformer_checks.grading.results import ExerciseResult, NotebookResult

# What each verdict means, for someone who meets it for the first time.
MEANING = {
    "passed": "Every value is right, on inputs that the notebook could not know.",
    "wrong": "It ran, and what it returned is not what it should be.",
    "error": "It raised an error.",
    "timeout": "It took too long and was stopped.",
    "crashed": "It ended the process that ran it.",
    "not allowed": "It calls what it was to build.",
    "not attempted": "There is no answer yet.",
}
_SIGNS = {"passed": "✓", "not attempted": "○"}


def page(result: NotebookResult) -> str:
    """The page of one notebook. It says nothing of the machine or of other notebooks."""
    name = PurePath(result.path).name or result.name
    if result.status != "graded":
        return _not_graded(result, name)
    points = f"{result.points} of {result.max_points} points"
    title = lesson_title(result.lesson)
    return whole_page(
        f"{title}: {points}",
        element(
            "header",
            element("p", "Transformer, built and measured", class_="course"),
            element("h1", title),
            element("p", submitted(name), class_="file"),
            element("p", element("strong", points), class_="points"),
            bar(result.points / result.max_points if result.max_points else 0),
        ),
        element("main", _overview(result), _to_mend(result)),
    )


def _not_graded(result: NotebookResult, name: str) -> str:
    return whole_page(
        "Not graded",
        element(
            "header",
            element("p", "Transformer, built and measured", class_="course"),
            element("h1", "Not graded"),
            element("p", submitted(name), class_="file"),
        ),
        element(
            "main",
            element("p", verdict(result.status)),
            element("p", prose(result.reason), class_="headline"),
        ),
    )


def verdict(status: str) -> Markup:
    """A verdict as a word with a sign, so that no colour is needed to read it."""
    sign = element("span", _SIGNS.get(status, "✗"), aria_hidden="true")
    kind = "passed" if status == "passed" else "blank" if status in _SIGNS else "failed"
    return element("span", sign, f" {status}", class_=f"verdict {kind}")


def _overview(result: NotebookResult) -> Markup:
    rows = [
        (
            together(f"{number}. ", _name(exercise)),
            verdict(exercise.status),
            f"{exercise.points} of {exercise.max_points}",
        )
        for number, exercise in enumerate(result.exercises, 1)
    ]
    passed = sum(exercise.passed for exercise in result.exercises)
    caption = f"{passed} of {len(rows)} exercises passed"
    columns = ("Exercise", "Verdict", "Points")
    return table(caption, columns, rows, numbers=("Points",))


def _name(exercise: ExerciseResult) -> Markup:
    if exercise.passed:
        return together(exercise.title)
    return element("a", exercise.title, href=f"#{exercise.exercise}")


def _to_mend(result: NotebookResult) -> Markup:
    open_ones = [exercise for exercise in result.exercises if not exercise.passed]
    if not open_ones:
        return element("p", "Every exercise is passed. There is nothing left to mend.")
    advice = "Begin at the top: later exercises often rest on earlier ones."
    return together(
        element("h2", "What to mend"),
        element("p", advice) if len(open_ones) > 1 else "",
        *map(_section, open_ones),
    )


def _section(exercise: ExerciseResult) -> Markup:
    hint = together("In the notebook, ", element("code", f'hint("{exercise.exercise}")'))
    return element(
        "section",
        element("h3", exercise.title),
        element(
            "p",
            verdict(exercise.status),
            f" {exercise.points} of {exercise.max_points} points. ",
            element("span", MEANING.get(exercise.status, ""), class_="meaning"),
        ),
        element("p", prose(exercise.headline), class_="headline") if exercise.headline else "",
        _example(exercise.counterexample),
        element("h4", "What to try next"),
        element("p", prose(exercise.lead)) if exercise.lead else "",
        element("p", hint, " gives a hint."),
        id=exercise.exercise,
    )


def _example(text: str) -> Markup:
    if not text:
        return Markup()
    return together(
        element("h4", "The smallest case that shows it"),
        element("pre", text, dir="auto", tabindex="0"),
    )
