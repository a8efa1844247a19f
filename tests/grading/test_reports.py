"""Each report follows its format, and shows submitted text as text."""

import csv
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

from transformer_lesson.grading import reports
from transformer_lesson.grading.grade import ExerciseResult, NotebookResult

NASTY = "=cmd|' /C calc'!A0 <script>&\"]]>, \U0001d6c2"
PASSED = ExerciseResult("tiny.double", "Double", "passed", 1, 1)
WRONG = ExerciseResult(
    "tiny.total", "Total", "wrong", 0, 2, NASTY, "+lead", "squared", "with x:\n  y = 1"
)
GRADED = NotebookResult("anna_02", "-anna/02.ipynb", "graded", "", "99_tiny", (PASSED, WRONG), 1.5)
UNREADABLE = NotebookResult("ben_02", "ben/02.ipynb", "unreadable", "it is empty")
RESULTS = [GRADED, UNREADABLE]
RUN = reports.Run(7, "1.0", "2030-01-01T00:00:00+00:00")


def test_json_holds_everything() -> None:
    whole = json.loads(reports.as_json(RUN, RESULTS))
    assert (whole["seed"], whole["version"], whole["time"]) == (7, "1.0", RUN.time)
    anna, ben = whole["notebooks"]
    assert (anna["points"], anna["max_points"], anna["status"]) == (1, 3, "graded")
    assert anna["exercises"][1]["headline"] == NASTY
    assert anna["exercises"][1]["misconception"] == "squared"
    assert anna["exercises"][1]["counterexample"] == "with x:\n  y = 1"
    assert (ben["status"], ben["reason"]) == ("unreadable", "it is empty")


def test_csv_has_a_row_for_each_exercise_and_no_formulas() -> None:
    rows = list(csv.DictReader(io.StringIO(reports.as_csv(RESULTS), newline="")))
    assert [(row["notebook"], row["exercise"], row["points"]) for row in rows] == [
        ("anna_02", "tiny.double", "1"),
        ("anna_02", "tiny.total", "0"),
        ("ben_02", "", ""),
    ]
    assert rows[1]["headline"] == "'" + NASTY
    assert not any(value[:1] in tuple("=+-@") for row in rows for value in row.values() if value)


def test_junit_counts_and_carries_the_text() -> None:
    root = ET.fromstring(reports.as_junit(RESULTS))
    anna, ben = root.findall("testsuite")
    assert (anna.get("tests"), anna.get("failures"), anna.get("errors")) == ("2", "1", "0")
    assert [case.get("name") for case in anna.findall("testcase")] == ["tiny.double", "tiny.total"]
    (failure,) = anna.findall("testcase/failure")
    assert (failure.get("type"), failure.get("message")) == ("wrong", NASTY)
    assert failure.text == f"wrong: {NASTY}\n+lead\nwith x:\n  y = 1"
    assert (ben.get("tests"), ben.get("failures"), ben.get("errors")) == ("1", "0", "1")
    (error,) = ben.findall("testcase/error")
    assert error.get("message") == "it is empty"


def test_gradescope_keeps_to_its_specification() -> None:
    graded = json.loads(reports.as_gradescope(GRADED))
    assert set(graded) <= {
        "score",
        "execution_time",
        "output",
        "output_format",
        "visibility",
        "stdout_visibility",
        "tests",
    }
    assert graded["visibility"] in ("visible", "hidden", "after_due_date", "after_published")
    assert [(t["score"], t["max_score"], t["status"]) for t in graded["tests"]] == [
        (1, 1, "passed"),
        (0, 2, "failed"),
    ]
    assert all(
        set(test)
        <= {"name", "score", "max_score", "status", "output", "output_format", "visibility"}
        for test in graded["tests"]
    )
    assert NASTY in graded["tests"][1]["output"]
    unreadable = json.loads(reports.as_gradescope(UNREADABLE))
    assert (unreadable["score"], unreadable["output"]) == (0, "Not graded: it is empty.")


def test_files_are_replaced_whole(tmp_path: Path) -> None:
    for results in (RESULTS[:1], RESULTS):
        reports.write(tmp_path, RUN, results)
    files = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    assert files == {
        "grades.json",
        "grades.csv",
        "junit.xml",
        "gradescope/anna_02/results.json",
        "gradescope/ben_02/results.json",
    }
