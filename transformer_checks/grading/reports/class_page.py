"""The page that a teacher reads: how the class did, and what to speak about next time."""

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from transformer_checks.grading.jobs import RunInfo
from transformer_checks.grading.reports.html import (
    Markup,
    bar,
    count,
    element,
    facts,
    lesson_title,
    prose,
    submitted,
    table,
    together,
)
from transformer_checks.grading.reports.html import (
    page as whole_page,
)
from transformer_checks.grading.reports.statistics import (
    Difficulty,
    LessonStatistics,
    Slip,
    by_lesson,
)
from transformer_checks.grading.results import NotebookResult


def page(run: RunInfo, results: Sequence[NotebookResult], links: Mapping[str, str]) -> str:
    """The page of a class.

    Args:
        run: the circumstances.
        results: of all notebooks, in the order in which they are listed.
        links: by the name of a notebook, where its own page stands.
    """
    lessons = by_lesson(results)
    return whole_page(
        f"Grades: {count(len(results), 'notebook')}",
        element(
            "header",
            element("p", "Transformer, built and measured", class_="course"),
            element("h1", "Grades of the class"),
            element("p", _summary(results), class_="points"),
            *_warnings(run, results),
            _contents(lessons),
        ),
        element(
            "main",
            *map(_lesson, lessons),
            _notebooks(results, links),
            _about(run),
        ),
    )


def _summary(results: Sequence[NotebookResult]) -> str:
    graded = sum(result.status == "graded" for result in results)
    words = f"{graded} of {count(len(results), 'notebook')} graded"
    unreadable = sum(result.status == "unreadable" for result in results)
    return words + (f", {unreadable} unreadable" if unreadable else "")


def _warnings(run: RunInfo, results: Sequence[NotebookResult]) -> Iterable[Markup]:
    failed = sum(result.status == "not graded" for result in results)
    if missing := max(run.expected - len(results), 0):
        words = f"The run was interrupted: {count(missing, 'notebook')} of {run.expected} "
        words += f"{'is' if missing == 1 else 'are'} still to be graded. "
        yield element("p", words, "The same command goes on from here.", class_="warning")
    if failed:
        words = f"The grader itself failed on {count(failed, 'notebook')}; no points are given. "
        yield element("p", words, "The same command tries again.", class_="warning")


def _contents(lessons: Sequence[LessonStatistics]) -> Markup:
    places = [(lesson_title(lesson.lesson), f"#{lesson.lesson}") for lesson in lessons]
    places += [("Notebooks", "#notebooks"), ("About this run", "#about")]
    items = [element("li", element("a", name, href=place)) for name, place in places]
    return element("nav", element("ul", *items), aria_label="On this page")


def _lesson(lesson: LessonStatistics) -> Markup:
    middle = (
        f"Mean {lesson.mean:.1f}, median {lesson.median:g} of {lesson.max_points} points, over "
    )
    return element(
        "section",
        element("h2", lesson_title(lesson.lesson)),
        element("p", middle, count(len(lesson.points), "notebook"), "."),
        element("h3", "How the points are spread"),
        _distribution(lesson),
        element("h3", "Which exercises were hard"),
        _difficulties(lesson.difficulties),
        element("h3", "What was misunderstood"),
        _misconceptions(lesson),
        _other_slips(lesson.other_slips),
        id=lesson.lesson,
    )


def _distribution(lesson: LessonStatistics) -> Markup:
    steps = lesson.distribution()
    most = max(number for _, number in steps)
    rows = [(words, str(number), bar(number / most)) for words, number in steps]
    columns = ("Share of the points", "Notebooks", "")
    caption = "How many notebooks have which share of the points"
    return _charted(caption, columns, rows, "spread")


def _charted(
    caption: str, columns: tuple[str, ...], rows: Sequence[Sequence[str]], kind: str
) -> Markup:
    """A table whose last column draws what another one says."""
    drawn = (*columns[:-1], element("span", "the same as a bar", class_="unseen"))
    return table(caption, drawn, rows, numbers=columns[1:-1], kind=kind)


def _difficulties(difficulties: Sequence[Difficulty]) -> Markup:
    columns = ("Exercise", "Points", "Passed", "Tried, not passed", "Not attempted", "")
    rows = [
        (
            one.title,
            str(one.max_points),
            _share(one.passed, one.notebooks),
            _share(one.failed, one.notebooks),
            _share(one.not_attempted, one.notebooks),
            bar(one.rate),
        )
        for one in difficulties
    ]
    return _charted("The exercises, the hardest first", columns, rows, "difficulty")


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.0f} %)"


def _misconceptions(lesson: LessonStatistics) -> Markup:
    if not lesson.misconceptions:
        return element("p", "No misconception that the course knows by name occurred.")
    columns = ("Misconception", "Notebooks", "What they did", "Exercise")
    rows = [
        (slip.name, str(slip.notebooks), prose(slip.sentence), slip.title)
        for slip in lesson.misconceptions
    ]
    caption = "Misconceptions, the most frequent first"
    return table(caption, columns, rows, numbers=("Notebooks",), kind="slips")


def _other_slips(slips: Sequence[Slip]) -> Markup:
    if not slips:
        return Markup()
    columns = ("What the learners were told", "Notebooks", "Exercise")
    rows = [(prose(slip.sentence), str(slip.notebooks), slip.title) for slip in slips]
    caption = "What else happened in more than one notebook"
    return together(
        element("h3", "What else went wrong"),
        table(caption, columns, rows, numbers=("Notebooks",), kind="slips"),
    )


def _notebooks(results: Sequence[NotebookResult], links: Mapping[str, str]) -> Markup:
    columns = ("Notebook", "Points", "Share", "Passed", "Lesson or remark")
    rows = [_notebook(result, links[result.name]) for result in results]
    return element(
        "section",
        element("h2", "Notebooks"),
        table("What each notebook got", columns, rows, numbers=columns[1:4], kind="notebooks"),
        id="notebooks",
    )


def _notebook(result: NotebookResult, link: str) -> tuple[str, ...]:
    name = element("a", submitted(result.name), href=quote(link))
    if result.status != "graded":
        return name, "", "", "", together(f"{result.status}: ", submitted(result.reason))
    passed = sum(exercise.passed for exercise in result.exercises)
    share = f"{100 * result.points / result.max_points:.0f} %" if result.max_points else ""
    return (
        name,
        f"{result.points} of {result.max_points}",
        share,
        f"{passed} of {len(result.exercises)}",
        lesson_title(result.lesson),
    )


def _about(run: RunInfo) -> Markup:
    taken = f"{count(run.taken_over, 'result')} of an interrupted run, the others are new"
    pairs = [
        ("Seed", f"{run.seed} (the same seed gives the same inputs)"),
        ("Course", f"version {run.version}" + (f", code {run.course}" if run.course else "")),
        ("Isolation", f"{run.isolation}: {run.walls}" if run.isolation else "unknown"),
        ("Began", run.time.replace("T", " ").replace("+00:00", " UTC")),
        ("Took", f"{_duration(run.seconds)}, {count(run.jobs, 'notebook')} at a time"),
        *([("Taken over", taken)] if run.taken_over else []),
    ]
    return element("section", element("h2", "About this run"), facts(pairs), id="about")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
