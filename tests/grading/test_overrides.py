"""What a teacher decides by hand is respected, and a slip of the pen is refused."""

import csv
import json
from pathlib import Path

import pytest

from notebook_judge.grading.overrides import Overrides, read_overrides
from notebook_judge.grading.results import NotebookResult
from notebook_judge.grading.tables import BadTable
from tests.grading.fakes import exercise, notebook
from tests.grading.tiny_course import save
from transformer_checks.cli import main

HEAD = "learner,exercise,points,comment\n"
GIVEN = HEAD + 'anna,tiny.total,1,"Right idea; =see me <b>"\nben,tiny.double,,Well done\n'


@pytest.fixture
def given(tiny: None, tmp_path: Path) -> Path:
    path = tmp_path / "overrides.csv"
    path.write_text(GIVEN)
    return path


def of(learner: str) -> NotebookResult:
    result = notebook(learner, exercise("double", "passed"), exercise("total"))
    return NotebookResult(**vars(result) | {"learner": learner})


def test_points_and_comments_are_applied_and_the_judges_points_kept(given: Path) -> None:
    overrides = read_overrides(given, {"anna", "ben", "cem"})
    double, total = overrides.applied(of("anna")).exercises
    assert (total.points, total.judged, total.comment) == (1, 0, "Right idea; =see me <b>")
    assert (double.points, double.judged, double.comment) == (2, None, "")
    double, total = overrides.applied(of("ben")).exercises
    assert (double.points, double.judged, double.comment) == (2, None, "Well done")
    assert overrides.applied(of("cem")) == of("cem")
    assert [one.learner for one in overrides.unused([of("anna")])] == ["ben"]
    assert Overrides().applied(of("anna")) == of("anna")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("anne,tiny.total,1,", "line 2: no learner is called 'anne'. Did you mean 'anna'?"),
        ("zz,tiny.total,1,", "There are anna, ben."),
        ("anna,tiny.totl,1,", "no exercise is called 'tiny.totl'. Did you mean 'tiny.total'?"),
        ("anna,tiny.total,3,", "'3' points; expected a whole number from 0 to 2"),
        ("anna,tiny.total,-1,", "'-1' points"),
        ("anna,tiny.total,1.5,", "'1.5' points"),
        ("anna,tiny.total,,", "neither points nor a comment"),
        ("anna,tiny.total,1,\nanna,tiny.total,2,", "line 3: a second row for 'anna'"),
        ("anna,tiny.total,1,a,b", "5 cells under 4 columns"),
    ],
)
def test_a_row_that_cannot_be_meant_is_refused(given: Path, row: str, words: str) -> None:
    given.write_text(HEAD + row + "\n")
    with pytest.raises(BadTable) as refused:
        read_overrides(given, {"anna", "ben"})
    assert words in str(refused.value)


def test_a_run_respects_them_and_leaves_the_file_alone(
    given: Path, faked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("anna", "ben", "stranger"):
        save(tmp_path / f"class/{name}/x.ipynb", ())
    table = tmp_path / "table.csv"
    table.write_text("learner,name\nanna,Anna Ng\nben,\ncem,=cmd()\n")
    out = tmp_path / "out"
    command = ["grade", str(tmp_path / "class"), "--out", str(out), "--isolation", "limits"]
    by_hand = ["--learners", str(table), "--overrides", str(given)]
    for _ in range(2):
        assert main([*command, *by_hand]) == 0
    assert given.read_text() == GIVEN
    anna, _, _ = json.loads((out / "grades.json").read_text())["notebooks"]
    assert (anna["learner"], anna["points"]) == ("anna", 3)
    assert anna["exercises"][1]["judged"] == 0
    said = (out / "feedback/anna_x.html").read_text()
    assert "Right idea; =see me &lt;b&gt;" in said
    assert "decided by hand (judged: 0)" in said
    assert "Not in the table of learners: stranger." in capsys.readouterr().out
    rows = list(csv.DictReader((out / "gradebook/canvas.csv").read_text().splitlines()))
    assert [row["Student"] for row in rows] == [
        *("Points Possible", "Anna Ng", "ben", "'=cmd()", "stranger")
    ]
    assert [row["99_tiny"] for row in rows] == ["4", "3", "2", "", "2"]

    given.write_text(HEAD + "nobody,tiny.total,1,\n")
    assert main([*command, *by_hand]) == 2
    assert "no learner is called 'nobody'" in capsys.readouterr().err
    inside = out / "mine.csv"
    inside.write_text(GIVEN)
    assert main([*command, "--overrides", str(inside)]) == 2
    assert "lies in the folder of the reports" in capsys.readouterr().err
    assert len(faked) == 3  # once
