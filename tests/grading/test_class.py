"""The class as learners and lessons: on the teacher's page and in the files for gradebooks."""

import csv
from dataclasses import replace

import pytest

from notebook_judge.grading.learners import Learner, Roster
from notebook_judge.grading.reports import gradebooks
from notebook_judge.grading.reports.matrix import matrix_of
from notebook_judge.grading.reports.pages import class_page
from notebook_judge.grading.reports.statistics import by_lesson
from notebook_judge.grading.results import NotebookResult
from tests.grading.fakes import RUN, exercise, notebook

BEST = notebook("anna_2", exercise("double", "passed"), exercise("total", "passed"))
RESULTS = [
    replace(notebook("anna_1"), learner="anna"),
    replace(BEST, learner="anna"),
    replace(notebook("anna_3"), learner="anna", lesson="98_other"),
    replace(notebook("ben_1", reason="it is empty"), learner="ben"),
]
CLASS = Roster(
    table={
        "anna": Learner("anna", name="Anna Maria Ng", email="a@x.org", login="an", number="007"),
        "cem": Learner("cem", name="Lee, Cem"),
    }
)
MATRIX = matrix_of(RESULTS, CLASS)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines(), strict=True))


def test_the_best_of_several_counts_and_nobody_is_missing() -> None:
    assert (dict(MATRIX.lessons), MATRIX.max_points) == ({"98_other": 4, "99_tiny": 4}, 8)
    anna, ben, cem = MATRIX.rows
    assert (anna.points, anna.entries["99_tiny"].best.name) == (6, "anna_2")
    assert [one.name for one in anna.entries["99_tiny"].attempts] == ["anna_1", "anna_2"]
    assert [one.name for one in ben.ungraded] == ["ben_1"]
    assert (cem.learner.learner, cem.entries, cem.points) == ("cem", {}, 0)
    assert [one.name for one in MATRIX.counted()] == ["anna_2", "anna_3"]


def test_canvas_gets_its_five_columns_and_the_points_possible() -> None:
    text = gradebooks.as_canvas(MATRIX)
    head = "Student,ID,SIS User ID,SIS Login ID,Section,98_other,99_tiny"
    assert text.splitlines()[:3] == [head, "Points Possible,,,,,4,4", "Anna Maria Ng,,007,an,,2,4"]
    assert [row["99_tiny"] for row in rows(text)] == ["4", "4", "", ""]


def test_moodle_gets_points_with_feedback() -> None:
    commented = replace(RESULTS[1], exercises=(replace(BEST.exercises[0], comment="=Good"),))
    commented = replace(commented, failed="the cell `1 / 0`")
    text = gradebooks.as_moodle(matrix_of([commented], CLASS))
    (anna, cem) = rows(text)
    assert (anna["Username"], anna["ID number"], anna["Email address"]) == ("an", "007", "a@x.org")
    assert (anna["99_tiny"], anna["99_tiny (feedback)"]) == (
        "2",
        "Exercise double: =Good; The first thing that failed: the cell `1 / 0`.",
    )
    assert (cem["Username"], cem["99_tiny"]) == ("cem", "")


def test_nbgrader_gets_what_its_own_export_writes() -> None:
    text = gradebooks.as_nbgrader(MATRIX)
    assert text.splitlines()[0] == (
        "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
        "late_submission_penalty,score,max_score"
    )
    first, *_, last = rows(text)
    assert (first["assignment"], first["student_id"]) == ("98_other", "anna")
    assert (first["first_name"], first["last_name"]) == ("Anna Maria", "Ng")
    assert (first["score"], first["max_score"]) == ("2.0", "4.0")
    assert (last["first_name"], last["last_name"]) == ("Cem", "Lee")
    assert (last["student_id"], last["score"]) == ("cem", "0.0")


def test_identical_wrong_results_are_grouped() -> None:
    def wrong(name: str, example: str) -> NotebookResult:
        return notebook(name, replace(exercise("total"), counterexample=example))

    (lesson,) = by_lesson([wrong("a", "got 1"), wrong("b", "got 2"), wrong("c", "got 2")])
    (slip,) = lesson.slips
    assert slip.notebooks == 3
    assert [(g.counterexample, [n.name for n in g.notebooks]) for g in slip.groups] == [
        ("got 2", ["b", "c"]),
        ("got 1", ["a"]),
    ]


def test_discrimination_tells_exercises_apart() -> None:
    """In ten notebooks ``double`` goes with ``total``, and ``ends`` goes against both."""

    def status(right: bool) -> str:
        return "passed" if right else "wrong"

    class_ = [
        notebook(
            f"n{n}",
            exercise("double", status(n < 5)),
            exercise("total", status(n < 5)),
            exercise("ends", status(n >= 5)),
            exercise("weights", "passed"),
        )
        for n in range(10)
    ]
    (lesson,) = by_lesson(class_)
    found = {one.exercise: one.discrimination for one in lesson.difficulties}
    assert found["tiny.double"] is None  # the rest is the same for all: ends makes up for total
    assert found["tiny.ends"] == pytest.approx(-1)
    assert found["tiny.weights"] is None
    (lesson,) = by_lesson([replace(n, exercises=n.exercises[:2]) for n in class_])
    assert [one.discrimination for one in lesson.difficulties] == pytest.approx([1, 1])
    (lesson,) = by_lesson(class_[:9])
    assert all(one.discrimination is None for one in lesson.difficulties)


def test_the_page_fits_the_screen() -> None:
    """The spread of a lesson's points is one line of columns, not a row for each share."""
    page = class_page(RUN, RESULTS, {one.name: f"{one.name}.html" for one in RESULTS}, CLASS)
    assert page.count('<ol class="spread"') == len(MATRIX.lessons)
    assert page.count('style="height:') == 11 * len(MATRIX.lessons)
    assert page.count("<details") >= 2
    assert "best of" in page
    assert "<bdi>Anna Maria Ng</bdi>" in page
