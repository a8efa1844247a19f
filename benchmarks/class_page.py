"""The teacher's page on a class of 300 with ten lessons: how soon it is written, and opens.

The results are made up: of every exercise of the course, three in ten answers are wrong, each with
one of twelve counterexamples of a few lines. Opening ends with the browser's first layout.
"""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from authoring.browser import running_browser
from transformer_checks.catalogue import CHECKS, of_lesson
from transformer_checks.checks.exercise import Check
from transformer_checks.grading import reports
from transformer_checks.grading.jobs import RunInfo
from transformer_checks.grading.results import ExerciseResult, NotebookResult
from transformer_checks.grading.store import Store

LEARNERS, PROMISED_SECONDS = 300, 1.0
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
    taken = []
    with running_browser() as browser:
        for _ in range(5):
            tab = browser.new_page()
            start = time.perf_counter()
            tab.goto(page.as_uri())
            tab.evaluate(LAID_OUT)
            taken.append(time.perf_counter() - start)
            tab.close()
    return taken


def main() -> int:
    """Write the page and open it; return 1 if it takes longer than promised."""
    run = RunInfo(0, "", "2030-01-01T00:00:00+00:00", "", "namespaces", "", 2, LEARNERS)
    results = list(notebooks(random.Random(0)))
    with tempfile.TemporaryDirectory() as place:
        start = time.perf_counter()
        with Store(Path(place)) as folder:
            reports.write_class(folder, run, results)
        written = time.perf_counter() - start
        page = Path(place) / "index.html"
        size, seconds = page.stat().st_size, statistics.median(opened(page))
    print(f"{LEARNERS} learners, {len(results):,} notebooks, {size:,} bytes")
    print(f"written, with the files for gradebooks   {written:5.2f} s")
    print(f"opened, median of five                   {seconds:5.2f} s (promised: 1 s)")
    return int(seconds > PROMISED_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
