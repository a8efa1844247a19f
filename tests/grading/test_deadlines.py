"""Due dates, when a notebook came, and what the teacher's rule takes."""

import os
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.grading.fakes import RUN, exercise, notebook
from tests.grading.tiny_course import save
from transformer_checks.grading.deadlines import Deadlines, read_deadlines, read_rule, submitted
from transformer_checks.grading.learners import Roster
from transformer_checks.grading.reports import formats, gradebooks
from transformer_checks.grading.reports.matrix import matrix_of
from transformer_checks.grading.reports.pages import class_page, notebook_page
from transformer_checks.grading.tables import BadTable

DUE = datetime(2030, 3, 1, 12).astimezone()
RESULT = replace(notebook("anna", *[exercise(f"e{n}", "passed") for n in range(8)]), learner="anna")


def handed_in(path: Path, after: timedelta) -> Path:
    save(path, ())
    moment = (DUE + after).timestamp()
    os.utime(path, (moment, moment))
    return path


@pytest.mark.parametrize(
    ("rule", "after", "penalty"),
    [
        ("10%/day", timedelta(seconds=-1), 0),
        ("10%/day", timedelta(0), 0),
        ("10%/day", timedelta(seconds=1), 1.6),
        ("10%/day", timedelta(days=1), 1.6),
        ("10%/day", timedelta(days=1, seconds=1), 3.2),
        ("10/day, at most 50%", timedelta(days=30), 8),
        ("10%/day", timedelta(days=30), 16),
        ("5 %/hour", timedelta(hours=2, minutes=1), 2.4),
        ("25%", timedelta(days=30), 4),
        ("", timedelta(days=30), 0),
    ],
)
def test_the_rule_takes_what_it_says(
    tmp_path: Path, rule: str, after: timedelta, penalty: float
) -> None:
    path = handed_in(tmp_path / "anna.ipynb", after)
    late = Deadlines({("", ""): DUE}, read_rule(rule)).applied(RESULT, path)
    assert (late.points, late.earned, late.max_points) == (16 - penalty, 16, 16)
    assert bool(late.late.says) == (after > timedelta(0))
    assert Deadlines().applied(RESULT, path) == RESULT


@pytest.mark.parametrize("rule", ["10%/month", "101%", "-1%", "ten", "10%/day, at most 101%"])
def test_a_rule_that_is_none_is_refused(rule: str) -> None:
    with pytest.raises(BadTable, match="is no rule such as"):
        read_rule(rule)


def test_lateness_is_on_the_page_and_in_every_file(tmp_path: Path) -> None:
    path = handed_in(tmp_path / "anna.ipynb", timedelta(hours=30))
    late = Deadlines({("", ""): DUE}, read_rule("10%/day")).applied(RESULT, path)
    says = (
        "Handed in 1 day 6 h after it was due (2030-03-01 12:00): 3.2 of 16 points are taken "
        "(10 % for each day begun)."
    )
    page = notebook_page(late, "Anna Ng")
    assert says in page
    assert "<strong>12.8 of 16 points</strong>" in page
    assert "<bdi>Anna Ng</bdi>" in page
    assert "late: \N{MINUS SIGN}3.2" in class_page(RUN, [late], {"anna": "a.html"}).replace(
        "\n", ""
    )
    assert "2030-03-01 12:00,2030-03-02 18:00,30,3.2" in formats.as_class_csv([late])
    matrix = matrix_of([late], Roster())
    assert "2030-03-01 12:00,2030-03-02 18:00,anna,,,,16.0,3.2,12.8" in gradebooks.as_nbgrader(
        matrix
    )
    assert says in gradebooks.as_moodle(matrix)
    assert '"score": 12.8' in formats.as_gradescope(late)


def test_dates_of_lessons_and_of_learners_come_from_a_table(tiny: None, tmp_path: Path) -> None:
    table = tmp_path / "due.csv"
    table.write_text("lesson,due,learner\n99_tiny,2030-03-01,\n99_tiny,2030-03-05T12:00,ben\n")
    deadlines = read_deadlines(str(table), read_rule("50%"), {"anna", "ben"})
    path = handed_in(tmp_path / "x.ipynb", timedelta(days=3))
    assert deadlines.applied(RESULT, path).points == 8
    assert deadlines.applied(replace(RESULT, learner="ben"), path).points == 16
    same_day = handed_in(tmp_path / "y.ipynb", timedelta(hours=11))
    assert deadlines.applied(RESULT, same_day).points == 16  # a day lasts to its end
    zoned = read_deadlines("2030-03-01 21:00 Asia/Tokyo", read_rule(""), ())
    assert zoned.due["", ""] == datetime.fromisoformat("2030-03-01T12:00Z")
    for row, words in {
        "98_other,2030-03-01,": "no lesson is called '98_other'",
        "99_tiny,2030-03-01,anne": "no learner is called 'anne'",
        "99_tiny,tomorrow,": "'tomorrow' is no date",
        "99_tiny,2030-03-01 Mars/Crater,": "'2030-03-01 Mars/Crater' is no date",
        "99_tiny,2030-03-01,\n99_tiny,2030-03-02,": "line 3: a second date",
    }.items():
        table.write_text(f"lesson,due,learner\n{row}\n")
        with pytest.raises(BadTable, match=words):
            read_deadlines(str(table), read_rule(""), {"anna", "ben"})


def test_a_platform_says_when_it_came_and_a_learner_does_not(tmp_path: Path) -> None:
    own = timedelta(days=2)
    stamped = handed_in(tmp_path / "submitted/anna/02/x.ipynb", own)
    stamped.with_name("timestamp.txt").write_text("2030-03-01 10:00:00.5 UTC\n")
    assert submitted(stamped) == datetime.fromisoformat("2030-03-01T10:00:00.5+00:00")
    attempt = handed_in(tmp_path / "02_anna_attempt_2030-03-01-10-30-00_x.ipynb", own)
    assert submitted(attempt) == datetime(2030, 3, 1, 10, 30).astimezone()
    moodle = tmp_path / "Anna Ng_47_assignsubmission_file_"
    forged = handed_in(moodle / "x_attempt_2030-03-01-10-30-00_x.ipynb", own)
    (moodle / "timestamp.txt").write_text("2030-03-01 10:00:00 UTC\n")
    assert submitted(forged) == DUE + own
    stamped.with_name("timestamp.txt").write_text("soon")
    assert submitted(stamped) is None


@pytest.mark.parametrize(("mark", "points"), [("", 16), ("_LATE", 14.4)])
def test_canvas_decides_what_is_late(tmp_path: Path, mark: str, points: float) -> None:
    path = handed_in(tmp_path / f"nganna{mark}_12345_678901_x.ipynb", timedelta(hours=1))
    for due in ({}, {("", ""): DUE}):
        assert Deadlines(due, read_rule("10%/day")).applied(RESULT, path).points == points
