"""Each report follows its format."""

import csv
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

from notebook_judge.grading import reports
from notebook_judge.grading.jobs import RunInfo
from notebook_judge.grading.reports import formats
from notebook_judge.grading.results import ExerciseResult, NotebookResult
from notebook_judge.grading.store import Store

NASTY = "=cmd|' /C calc'!A0 <script>&\"]]>, \U0001d6c2"
PASSED = ExerciseResult("tiny.double", "Double", "passed", 1, 1)
WRONG = ExerciseResult(
    "tiny.total", "Total", "wrong", 0, 2, NASTY, "+lead", "squared", "with x:\n  y = 1"
)
GRADED = NotebookResult("anna_02", "-anna/02.ipynb", "graded", "", "99_tiny", (PASSED, WRONG), 1.5)
UNREADABLE = NotebookResult("ben_02", "ben/02.ipynb", "unreadable", "it is empty")
RESULTS = [GRADED, UNREADABLE]
NOT_GRADED = NotebookResult("cem_02", "cem/02.ipynb", "not graded", "the grader itself failed")
RUN = RunInfo(7, "1.0", "2030-01-01T00:00:00+00:00", "c0de", "namespaces", "Nothing is seen.", 2, 2)


def test_json_holds_everything() -> None:
    whole = json.loads(formats.as_json(RUN, RESULTS))
    assert (whole["seed"], whole["version"], whole["time"]) == (7, "1.0", RUN.time)
    assert (whole["course"], whole["isolation"], whole["finished"]) == ("c0de", "namespaces", True)
    anna, ben = whole["notebooks"]
    assert (anna["points"], anna["max_points"], anna["status"]) == (1, 3, "graded")
    assert anna["exercises"][1]["headline"] == NASTY
    assert anna["exercises"][1]["slip"] == "squared"
    assert anna["exercises"][1]["counterexample"] == "with x:\n  y = 1"
    assert (ben["status"], ben["reason"]) == ("unreadable", "it is empty")


def test_csv_has_a_row_for_each_exercise_and_no_formulas() -> None:
    rows = list(csv.DictReader(io.StringIO(formats.as_csv(RESULTS), newline="")))
    assert [(row["notebook"], row["exercise"], row["points"]) for row in rows] == [
        ("anna_02", "tiny.double", "1"),
        ("anna_02", "tiny.total", "0"),
        ("ben_02", "", ""),
    ]
    assert rows[1]["headline"] == "'" + NASTY
    assert not any(value[:1] in tuple("=+-@") for row in rows for value in row.values() if value)


def test_class_csv_has_a_total_for_each_notebook_and_no_0_where_the_grader_failed() -> None:
    text = formats.as_class_csv([*RESULTS, NOT_GRADED])
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    columns = ("notebook", "points", "max_points", "percent", "passed", "exercises", "remark")
    assert [tuple(row[column] for column in columns) for row in rows] == [
        ("anna_02", "1", "3", "33.3", "1", "2", ""),
        ("ben_02", "0", "", "", "0", "0", "it is empty"),
        ("cem_02", "", "", "", "", "", "the grader itself failed"),
    ]


def test_junit_counts_and_carries_the_text() -> None:
    root = ET.fromstring(formats.as_junit(RUN, RESULTS))
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["3", "1", "1"]
    anna, ben = root.findall("testsuite")
    assert anna.get("timestamp") == RUN.time
    assert (anna.get("tests"), anna.get("failures"), anna.get("errors")) == ("2", "1", "0")
    assert [case.get("name") for case in anna.findall("testcase")] == ["tiny.double", "tiny.total"]
    (failure,) = anna.findall("testcase/failure")
    assert (failure.get("type"), failure.get("message")) == ("wrong", NASTY)
    assert failure.text == f"wrong: {NASTY}\n+lead\nwith x:\n  y = 1"
    assert (ben.get("tests"), ben.get("failures"), ben.get("errors")) == ("1", "0", "1")
    (error,) = ben.findall("testcase/error")
    assert error.get("message") == "it is empty"


def test_gradescope_keeps_to_its_specification() -> None:
    graded = json.loads(formats.as_gradescope(GRADED))
    assert set(graded) <= {
        *("score", "execution_time", "output", "output_format", "tests", "visibility"),
        *("test_output_format", "test_name_format", "stdout_visibility"),
    }
    kinds = {graded[key] for key in graded if key.endswith("format")}
    assert kinds == {"text"}  # the default for "output" is read as HTML
    assert graded["score"] == 1
    assert graded["visibility"] in ("visible", "hidden", "after_due_date", "after_published")
    assert [(t["score"], t["max_score"], t["status"]) for t in graded["tests"]] == [
        (1, 1, "passed"),
        (0, 2, "failed"),
    ]
    assert all(
        set(test) <= {"number", "name", "score", "max_score", "status", "output", "visibility"}
        for test in graded["tests"]
    )
    assert NASTY in graded["tests"][1]["output"]
    unreadable = json.loads(formats.as_gradescope(UNREADABLE))
    assert (unreadable["score"], unreadable["output"]) == (0, "Not graded: it is empty.")


def test_files_are_replaced_whole(tmp_path: Path) -> None:
    with Store(tmp_path) as folder:
        for results in (RESULTS[:1], [*RESULTS, NOT_GRADED]):
            for result in results:
                reports.write_notebook(folder, result)
            reports.write_class(folder, RUN, results)
        folder.finish(RUN, ())
    files = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    assert files == {
        *(".kept/lock", "class.csv", "grades.csv", "grades.json", "index.html", "junit.xml"),
        *(f"gradebook/{name}.csv" for name in ("canvas", "moodle", "nbgrader")),
        *(f"gradescope/{name}_02/results.json" for name in ("anna", "ben")),
        *(f"feedback/{name}_02.html" for name in ("anna", "ben", "cem")),
    }
    assert (tmp_path / "class.csv").read_bytes().startswith(b"\xef\xbb\xbfnotebook,")


def test_names_that_file_systems_find_too_long_stay_distinct() -> None:
    names = ["名" * 80, "名" * 79 + "前", "\U0001d6c2" * 80, "short"]
    pages = [reports.files_of(name)[0] for name in names]
    assert len(set(pages)) == len(names)
    assert all(len(page.split("/")[1].encode()) < 240 for page in pages)
    assert pages[-1] == "feedback/short.html"
