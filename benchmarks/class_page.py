"""The teacher's page on a class of 300 with ten lessons: how soon it is written, and opens.

The results are made up: of every exercise of the course, three in ten answers are wrong, each with
one of twelve counterexamples of a few lines. Opening ends with the browser's first layout.
"""

import random
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from authoring.browser import running_browser
from benchmarks.harness import promise, run, seconds
from notebook_judge.checks.exercise import Check
from notebook_judge.grading import reports
from notebook_judge.grading.jobs import RunInfo
from notebook_judge.grading.results import ExerciseResult, NotebookResult
from notebook_judge.grading.store import Store
from transformer_checks.catalogue import CHECKS, of_lesson

LEARNERS = 300
WRONG, EXAMPLES = 0.3, 12
LAID_OUT = "document.body.getBoundingClientRect().height"


def result(check: Check, draw: random.Random) -> ExerciseResult:
    """Return what somebody got for an exercise."""
    points, code = check.points, f"def {check.answer}():\n" + "    ...\n" * 15
    if draw.random() > WRONG:
        return ExerciseResult(check.name, check.title, "passed", points, points, code=code)
    example = f"with case {draw.randrange(EXAMPLES)}:\n" + "  query = [[1.0, 2.0]]\n" * 6
    headline, lead = "The result has another value.", "Look at the sum of each row."
    return ExerciseResult(
        check.name, check.title, "wrong", 0, points, headline, lead, "", example, code=code
    )


def notebooks(draw: random.Random) -> Iterator[NotebookResult]:
    """Yield the notebooks of the class."""
    for number in range(LEARNERS):
        for lesson in dict.fromkeys(check.lesson for check in CHECKS.values()):
            learner, name = f"learner {number:03}", f"{number:03}_{lesson}"
            exercises = tuple(result(check, draw) for check in of_lesson(lesson))
            path = f"class/{name}.ipynb"
            yield NotebookResult(
                name, path, "graded", lesson=lesson, exercises=exercises, learner=learner
            )


def opened(page: Path) -> list[float]:
    """Return the seconds from asking for the page until it is laid out, five times."""
    with running_browser() as browser:
        tabs = [browser.new_page() for _ in range(5)]
        return [seconds(lambda t=t: (t.goto(page.as_uri()), t.evaluate(LAID_OUT))) for t in tabs]  # type: ignore[misc]


def main() -> None:
    """Write the page and open it."""
    info = RunInfo(0, "", "2030-01-01T00:00:00+00:00", "", "namespaces", "", 2, LEARNERS)
    results = list(notebooks(random.Random(0)))
    with tempfile.TemporaryDirectory() as place:
        with Store(Path(place)) as folder:
            written = seconds(lambda: reports.write_class(folder, info, results))
        page = Path(place) / "index.html"
        size, times = page.stat().st_size, opened(page)
    print(f"{LEARNERS} learners, {len(results):,} notebooks, {size:,} bytes")
    print(f"written, with the files for gradebooks   {written:5.2f} s")
    first, taken = times[0], statistics.median(times[1:])
    promise(
        f"opening the page of {len(results):,} notebooks, the first time", first, most=1, unit="s"
    )
    promise("opening it again", taken, most=1, unit="s")


if __name__ == "__main__":
    run(main)
