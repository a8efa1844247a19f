"""Every slip among right answers: the check in the notebook, nbval and the grader agree.

The notebooks of a lesson have its slips in turn: exercise ``i`` of notebook ``n`` has its slip
number ``n - i``, or the solution where it has none. So each slip is met once, beside slips and
solutions before and after it.
"""

from pathlib import Path

import pytest
from nbformat import NotebookNode

from tests.fixtures import Patch
from tests.grading.battery.submission import answer_cell, solution
from tests.grading.runners import by_check, by_grader, by_nbval
from transformer_checks import catalogue

NBVAL = 3  # nbval, which starts a kernel for each, sees one notebook in so many


def with_slips(lesson: str, number: int) -> NotebookNode:
    book = solution(lesson)
    for place, check in enumerate(catalogue.of_lesson(lesson)):
        slips = check.known_slips[max(number - place, 0) :] if number >= place else ()
        # The slips of a kernel are written in PyTorch: in a notebook they would be no kernel.
        if slips and "no kernel" not in check.forbidden:
            answer_cell(book, check.answer).source = check.text.edited(slips[0].edits).text
    return book


def numbers(lesson: str) -> range:
    checks = catalogue.of_lesson(lesson)
    return range(max(place + len(check.known_slips) for place, check in enumerate(checks)))


@pytest.mark.sampled(80)
@pytest.mark.parametrize(
    ("lesson", "number"),
    [(lesson, number) for lesson in catalogue.LESSONS for number in numbers(lesson)],
)
def test_the_check_and_the_grader_agree(
    lesson: str, number: int, tmp_path: Path, monkeypatch: Patch
) -> None:
    book = with_slips(lesson, number)
    assert by_check(book, tmp_path / "learner", monkeypatch) == by_grader(book, tmp_path)


@pytest.mark.sampled(11)
@pytest.mark.parametrize("lesson", catalogue.LESSONS)
def test_nbval_and_the_grader_agree(lesson: str, tmp_path: Path) -> None:
    books = {f"with_{n}": with_slips(lesson, n) for n in numbers(lesson)[::NBVAL]}
    told = by_nbval(books, tmp_path / "nbval")
    assert told == {name: by_grader(book, tmp_path) for name, book in books.items()}
