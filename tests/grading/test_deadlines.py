"""Due dates, when a notebook came, and what the teacher's rule takes."""

import csv
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from notebook_judge.grading.arrivals import OWN_TIME, Arrival, arrivals
from notebook_judge.grading.deadlines import Deadlines, read_deadlines, read_rule
from notebook_judge.grading.learners import Roster
from notebook_judge.grading.reports import formats, gradebooks
from notebook_judge.grading.reports.matrix import matrix_of
from notebook_judge.grading.reports.pages import class_page, notebook_page
from notebook_judge.grading.tables import BadTable
from tests.grading.fakes import RUN, exercise, notebook
from tests.grading.tiny_course import save
from transformer_checks.cli import main

DUE = datetime(2030, 3, 1, 12).astimezone()
RESULT = replace(notebook("anna", *[exercise(f"e{n}", "passed") for n in range(8)]), learner="anna")


def handed_in(path: Path, after: timedelta) -> Path:
    save(path, ())
    moment = (DUE + after).timestamp()
    os.utime(path, (moment, moment))
    return path


def alone(path: Path) -> Arrival:
    return arrivals([path], ["anna"])[0]


@pytest.mark.parametrize(
    ("rule", "after", "penalty"),
    [
        ("10%/day", timedelta(seconds=-1), 0),
        ("10%/day", timedelta(0), 0),
        ("10%/day", timedelta(seconds=59), 0),
        ("10%/day", timedelta(minutes=1), 1.6),
        ("10%/day", timedelta(days=1), 1.6),
        ("10%/day", timedelta(days=1, seconds=59), 1.6),
        ("10%/day", timedelta(days=1, minutes=1), 3.2),
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
    late = Deadlines({("", ""): DUE}, read_rule(rule)).applied(RESULT, alone(path))
    assert (late.points, late.earned, late.max_points) == (16 - penalty, 16, 16)
    assert bool(late.late.says) == (after >= timedelta(minutes=1))
    assert Deadlines().applied(RESULT, alone(path)) == RESULT


@pytest.mark.parametrize("rule", ["10%/month", "101%", "-1%", "ten", "10%/day, at most 101%"])
def test_a_rule_that_is_none_is_refused(rule: str) -> None:
    with pytest.raises(BadTable, match="is no rule such as"):
        read_rule(rule)


def test_lateness_is_on_the_page_and_in_every_file(tmp_path: Path) -> None:
    path = handed_in(tmp_path / "anna.ipynb", timedelta(hours=30))
    late = Deadlines({("", ""): DUE}, read_rule("10%/day")).applied(RESULT, alone(path))
    says = (
        "Handed in 1 day 6 h after it was due (2030-03-01 12:00): 3.2 of 16 points are taken "
        "(10 % for each day begun)."
    )
    page = notebook_page(late, "Anna Ng")
    assert says in page
    assert "Due 2030-03-01 12:00, handed in\n2030-03-02 18:00: the file&#39;s own time." in page
    assert "<strong>12.8 of 16 points</strong>" in page
    assert "<bdi>Anna Ng</bdi>" in page
    assert "late: \N{MINUS SIGN}3.2" in class_page(RUN, [late], {"anna": "a.html"}).replace(
        "\n", ""
    )
    assert "2030-03-01 12:00,2030-03-02 18:00,30,3.2,the file's own time" in formats.as_class_csv(
        [late]
    )
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
    assert deadlines.applied(RESULT, alone(path)).points == 8
    assert deadlines.applied(replace(RESULT, learner="ben"), alone(path)).points == 16
    same_day = handed_in(tmp_path / "y.ipynb", timedelta(hours=11))
    assert deadlines.applied(RESULT, alone(same_day)).points == 16  # a day lasts to its end
    zoned = read_deadlines("2030-03-01 21:00 Asia/Tokyo", read_rule(""), ())
    assert zoned.due["", ""] == datetime.fromisoformat("2030-03-01T12:00Z")
    with pytest.raises(BadTable, match="'next week' is no date such as 2030-03-01T23:59, and"):
        read_deadlines("next week", read_rule(""), ())
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


STAMP = "2030-03-01 10:00:00.5 UTC\n"
STAMPED = datetime.fromisoformat("2030-03-01T10:00:00.5+00:00")
OWN = timedelta(days=2)
ATTEMPT = "02_{}_attempt_2030-03-01-10-30-00_x.ipynb"
ATTEMPTED = datetime(2030, 3, 1, 10, 30).astimezone()


def came(folder: Path, places: dict[str, bool]) -> list[Arrival]:
    """When notebooks came that lie here, each with a timestamp.txt or not; the first folder's."""
    paths = [handed_in(folder / place, OWN) for place in places]
    for path, stamped in zip(paths, places.values(), strict=True):
        if stamped:
            path.with_name("timestamp.txt").write_text(STAMP)
    return arrivals(paths, [path.relative_to(folder).parts[0] for path in paths])


def test_a_platform_says_when_it_came(tmp_path: Path) -> None:
    nbgrader = {f"{name}/02/x.ipynb": name != "dia" for name in ("anna", "ben", "cem", "dia")}
    *stamped, without = came(tmp_path / "submitted", nbgrader)
    assert {one.moment for one in stamped} == {STAMPED}
    assert {one.source for one in stamped} == {"nbgrader's timestamp.txt"}
    assert (without.moment, without.source, without.doubt) == (DUE + OWN, OWN_TIME, "")
    assert came(tmp_path / "one", {"anna/02/x.ipynb": True})[0].moment == STAMPED
    blackboard = {ATTEMPT.format(name): False for name in ("anna", "ben", "cem")}
    *named, other = came(tmp_path / "download", blackboard | {"dia.ipynb": False})
    assert {(one.moment, one.source) for one in named} == {
        (ATTEMPTED, "Blackboard's name for the file")
    }
    assert (other.moment, other.source) == (DUE + OWN, OWN_TIME)


# How one learner may name a time: beside others who did not.
FORGED = {
    "a stamp in the own folder": ("anna/x.ipynb", True),
    "a stamp as deep as nbgrader's": ("anna/02/x.ipynb", True),
    "a stamp deeper": ("anna/submitted/anna/02/x.ipynb", True),
    "a name like Blackboard's": (ATTEMPT.format("anna"), False),
    "a name like Blackboard's in the own folder": (f"anna/{ATTEMPT.format('anna')}", False),
    "a stamp in Moodle's folder": ("Anna Ng_47_assignsubmission_file_/x.ipynb", True),
    "a name like Blackboard's in Moodle's folder": (
        *("Anna Ng_47_assignsubmission_file_/x_attempt_2030-03-01-10-30-00_x.ipynb", False),
    ),
    "a name like Canvas's, which would never be late": ("nganna_12345_678901_x.ipynb", False),
    "a name like Canvas's in the own folder": ("anna/nganna_12345_678901_x.ipynb", False),
}


@pytest.mark.parametrize("others", ["{}/x.ipynb", "{}.ipynb", "{}/02/x.ipynb"])
@pytest.mark.parametrize("way", FORGED)
def test_a_time_that_a_learner_can_write_is_not_believed(
    tmp_path: Path, way: str, others: str
) -> None:
    place, stamped = FORGED[way]
    rest = {others.format(name): False for name in ("ben", "cem", "dia")}
    forged, *_ = came(tmp_path / "class", {place: stamped} | rest)
    assert (forged.moment, forged.source, forged.late) == (DUE + OWN, OWN_TIME, None)
    told = "Canvas" not in way and "Moodle" not in way
    assert ("its learner may have written" in forged.doubt) == told
    result = Deadlines({("", ""): DUE}, read_rule("25%")).applied(RESULT, forged)
    assert (result.points, result.notes) == (12, (forged.doubt,) if told else ())


def test_a_stamp_without_a_time_is_not_believed(tmp_path: Path) -> None:
    for text in ("soon", "", "\ud800", "9" * 10_000):
        path = handed_in(tmp_path / "anna/02/x.ipynb", OWN)
        path.with_name("timestamp.txt").write_bytes(text.encode(errors="surrogatepass"))
        (arrival,) = arrivals([path], ["anna"])
        assert (arrival.moment, arrival.source) == (DUE + OWN, OWN_TIME)
        assert "says that it came at no time" in arrival.doubt


def test_pages_and_files_say_who_says_when(
    faked: list[str], tiny: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("anna", "ben", "cem"):
        handed_in(tmp_path / f"class/{name}/x.ipynb", OWN)
    (tmp_path / "class/anna/timestamp.txt").write_text(STAMP)
    out = tmp_path / "out"
    command = ["grade", str(tmp_path / "class"), "--out", str(out), "--due", "2030-03-01T12:00"]
    main([*command, "--isolation", "limits"])
    assert "handed in\n2030-03-03 12:00: the file&#39;s own time" in (
        (out / "feedback/anna_x.html").read_text("utf-8")
    )
    page = " ".join((out / "index.html").read_text("utf-8").split())
    assert "3 notebooks by the file&#39;s own time" in page
    assert "its learner may have written that" in page
    with (out / "class.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["time_from"] for row in csv.DictReader(file)] == 3 * [OWN_TIME]


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine in Berlin, where clocks change on 2030-03-31 and on 2030-10-27."""
    with monkeypatch.context() as zone:
        zone.setenv("TZ", "Europe/Berlin")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize("zone", ["", " Europe/Berlin"])
@pytest.mark.parametrize(
    ("due", "at", "days", "hours", "words"),
    [
        # A day of 25 hours, and one of 23, at the same time on the wall.
        ("2030-10-26T12:00", "2030-10-27T12:00:30", 1, 25, "1 day"),
        ("2030-10-26T12:00", "2030-10-27T13:00", 2, 26, "1 day 1 h"),
        ("2030-03-30T12:00", "2030-03-31T12:00:30", 1, 23, "1 day"),
        ("2030-03-30T12:00", "2030-03-31T13:00", 2, 24, "1 day 1 h"),
        ("2030-10-26", "2030-10-27T23:59", 1, 25, "1 day"),
        ("2030-10-27", "2030-10-27T23:59:59.5", 0, 0, ""),
        # The hour that comes twice: half an hour has passed, and the clock shows less.
        ("2030-10-27T02:45", "2030-10-27T01:15Z", 1, 1, "30 min"),
    ],
)
def test_a_change_of_the_clock_costs_no_day(
    berlin: None, zone: str, due: str, at: str, days: int, hours: int, words: str
) -> None:
    arrival = Arrival(datetime.fromisoformat(at).astimezone())
    for unit, units in {"day": days, "hour": hours}.items():
        deadlines = read_deadlines(due + zone if "T" in due else due, read_rule(f"1%/{unit}"), ())
        got = deadlines.applied(RESULT, arrival)
        assert got.late.penalty == pytest.approx(0.16 * units)
        assert f"in {words} after" in got.late.says or not words
    zoned = Arrival(datetime.fromisoformat(at).astimezone(ZoneInfo("Europe/Berlin")))
    assert deadlines.applied(RESULT, zoned) == got


@pytest.mark.parametrize(
    ("due", "last"),
    [
        ("2030-03-01T12:00", "12:00:59.999999"),
        ("2030-03-01 12:00", "12:00:59.999999"),
        ("20300301T1200", "12:00:59.999999"),
        ("2030-03-01T12:00:30", "12:00:30.999999"),
        ("2030-03-01", "23:59:59.999999"),
        ("2030-W09-5", "23:59:59.999999"),
        ("2030-03-01T23:59", "23:59:59.999999"),
    ],
)
def test_a_due_time_lasts_to_the_end_of_what_it_names(due: str, last: str) -> None:
    until = datetime.fromisoformat(f"2030-03-01T{last}").astimezone()
    deadlines = read_deadlines(due, read_rule("25%"), ())
    assert deadlines.applied(RESULT, Arrival(until)).points == 16
    after = Arrival(until + timedelta(microseconds=1))
    assert deadlines.applied(RESULT, after).points == 12
    assert deadlines.applied(RESULT, after).late.due == f"2030-03-01 {last[:5]}"


@pytest.mark.parametrize(("mark", "points"), [("", 16), ("_LATE", 14.4)])
def test_canvas_decides_what_is_late(tmp_path: Path, mark: str, points: float) -> None:
    path = handed_in(tmp_path / f"nganna{mark}_12345_678901_x.ipynb", timedelta(hours=1))
    for due in ({}, {("", ""): DUE}):
        assert Deadlines(due, read_rule("10%/day")).applied(RESULT, alone(path)).points == points
