"""Grade a submission, and hold what it gets against what it must get."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from notebook_judge.grading.grader import grade_notebook
from notebook_judge.grading.jobs import RunInfo
from notebook_judge.grading.reports import formats, pages
from notebook_judge.grading.results import NotebookResult
from notebook_judge.grading.sandbox.isolation import NotIsolated, choose
from tests.grading import tiny_course
from tests.grading.battery.leftovers import adopted_orphans
from tests.grading.battery.submission import Submission
from tests.grading.inside import skip_if_refused
from transformer_checks import catalogue

SEED = 5


def cases(families: Mapping[str, Sequence[Submission]]) -> pytest.MarkDecorator:
    """Make a test of each submission, under the name of its family."""
    return pytest.mark.parametrize(
        "submission",
        [
            pytest.param(one, id=f"{family}: {one.name}".replace(" ", "_"))
            for family, submissions in families.items()
            for one in submissions
        ],
    )


def grade(submission: Submission, folder: Path, request: pytest.FixtureRequest) -> None:
    """Grade a submission; fail where it gets anything but what it must get."""
    if submission.lesson == tiny_course.LESSON:
        request.getfixturevalue("tiny")
    if submission.isolated:
        try:
            choose("require")
        except NotIsolated as error:
            skip_if_refused(str(error))
    with adopted_orphans() as orphans:
        result = grade_notebook(submission.build(folder), "submission", SEED, submission.limits)
    assert not orphans, f"processes outlived the notebook: {orphans}"
    if submission.unreadable:
        assert (result.status, result.exercises) == ("unreadable", ())
        assert submission.unreadable in result.reason
    else:
        assert (result.status, result.reason) == ("graded", "")
        compare(submission, result)
    harmless(result)


def harmless(result: NotebookResult) -> None:
    """What a notebook says does nothing in a report; see also test_hostile_text."""
    ET.fromstring(formats.as_junit(RunInfo(SEED, "1.0", "2030-01-01T00:00:00+00:00"), [result]))
    page = pages.notebook_page(result)
    assert "<script" not in page
    assert "\x1b" not in page


def compare(submission: Submission, result: NotebookResult) -> None:
    """Fail on all that is amiss."""
    checks = catalogue.of_lesson(submission.lesson)
    assert [e.exercise for e in result.exercises] == [check.name for check in checks]
    amiss = []
    for check, got in zip(checks, result.exercises, strict=True):
        wanted = submission.expected.get(check.answer, "passed")
        slip = submission.slips.get(check.answer, "")
        assert got.points == (check.points if got.status in ("passed", "follows") else 0)
        assert got.max_points == check.points
        fits = (
            got.status in wanted.split(" or "),
            got.slip == slip or (not slip and check.lesson != tiny_course.LESSON),
            any(words in got.headline for words in submission.says.get(check.answer, [""])),
        )
        if not all(fits):
            amiss.append((check.answer, wanted, slip, got.status, got.slip, got.headline))
    assert not amiss, amiss
