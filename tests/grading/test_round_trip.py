"""From a platform's download to its gradebook and back: every row and page where it belongs."""

import csv
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from notebook_judge.grading.learners import Roster
from notebook_judge.grading.reports import archives, write_notebook
from notebook_judge.grading.store import Store
from tests.grading.fakes import notebook
from tests.grading.tiny_course import IMPORTS, RIGHT, save
from transformer_checks.cli import main

SCRIPTS = (
    *("Anna Ng", "محمد عبد الله", "王小明", "अनीता शर्मा", "דוד בן-גוריון", "Zoe\u0308 O\u0308z"),
    *("Ольга Петрова", "สมชาย ใจดี", "Nguyễn Thị Ánh", "김 민준", "Jean-Luc d'Arc", "a b c d"),
)
PEOPLE = [f"{SCRIPTS[n % len(SCRIPTS)]} {'abcdefgh'[n // len(SCRIPTS)]}" for n in range(40)]
# What the nth learner got right, so that each row can be told from its neighbours.
ANSWERS = [{name for bit, name in enumerate(RIGHT) if n % 16 >> bit & 1} for n in range(40)]
WORTH = {"double": 1, "total": 2, "weights": 3, "ends": 4}
POINTS = [sum(WORTH[name] for name in right) for right in ANSWERS]


def moodle(n: int) -> str:
    """Moodle 4.1 writes no sign at the end."""
    return f"{PEOPLE[n]}_{4700 + n}_assignsubmission_file{'_' * (n % 2)}/日記 {n}.ipynb"


def canvas(n: int) -> str:
    """Canvas keeps letters of all scripts, the last name first, then come the numbers."""
    name = re.sub(r"[\W_]", "", "".join(reversed(PEOPLE[n].split())).replace("\u0308", ""))
    return f"{name.lower()}{'_LATE' * (n % 5 == 0)}_{9000 + n}_{77000 + n}_تمرين-{n}.ipynb"


def nbgrader(n: int) -> str:
    return f"login{n}/tiny/{n}.ipynb"


NAMES = {"moodle": moodle, "canvas": canvas, "nbgrader": nbgrader}


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.fixture
def graded(
    tiny: None, tmp_path: Path, once: Path, request: pytest.FixtureRequest
) -> tuple[str, Path]:
    """The folder of reports on a class as the platform of the parameter names it.

    The same folder for all: their notebooks are the same, and each is graded once.
    """
    platform = request.param
    for n in range(40):
        cells = [RIGHT[name] if name in ANSWERS[n] else f"def {name}(x): ..." for name in RIGHT]
        save(tmp_path / "download" / NAMES[platform](n), (IMPORTS, *cells, f"# {n}"))
    table = tmp_path / "class.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["learner", "name", "login", "participant", "id"])
        for n, person in enumerate(PEOPLE):
            rows.writerow([f"u{n}", person, f"login{n}", f"Participant {4700 + n}", 9000 + n])
    command = ["grade", str(tmp_path / "download"), "--out", str(once), "--learners", str(table)]
    assert main([*command, "--late", "10%", "--jobs", "2"]) == 0
    return platform, once


@pytest.mark.parametrize("graded", NAMES, indirect=True)
def test_forty_learners_and_back(graded: tuple[str, Path]) -> None:
    platform, out = graded
    points = [p * 0.9 if platform == "canvas" and n % 5 == 0 else p for n, p in enumerate(POINTS)]

    results = {
        one["learner"]: one for one in json.loads((out / "grades.json").read_text())["notebooks"]
    }
    assert {who: one["points"] for who, one in results.items()} == pytest.approx(
        {f"u{n}": points[n] for n in range(40)}
    )
    column = {"moodle": "Username", "canvas": "ID", "nbgrader": "student_id"}[platform]
    key = {"moodle": "login{}", "canvas": "{}", "nbgrader": "u{}"}[platform]
    mark = "score" if platform == "nbgrader" else "99_tiny"
    text = (out / f"gradebook/{platform}.csv").read_text("utf-8")
    rows = {row[column]: row for row in csv.DictReader(text.splitlines())}
    for n in range(40):
        who = key.format(9000 + n if platform == "canvas" else n)
        assert float(rows[who][mark]) == pytest.approx(points[n])

    name = "nbgrader" if platform == "nbgrader" else f"{platform}_download"
    assert [one.name for one in (out / "upload").iterdir()] == [f"{name}.zip"]
    with zipfile.ZipFile(out / f"upload/{name}.zip") as archive:
        pages = {entry: archive.read(entry).decode() for entry in archive.namelist()}
    assert len(pages) == 40
    for n in range(40):
        entry = NAMES[platform](n).replace(".ipynb", ".html")
        page = pages["feedback/" * (platform == "nbgrader") + entry]
        assert f"<strong><bdi>{PEOPLE[n]}</bdi></strong>".replace("'", "&#39;") in page
        assert f"<strong>{results[f'u{n}']['points']} of 10 points</strong>" in page
        assert ("late, as Canvas says" in page) == (platform == "canvas" and n % 5 == 0)
        if platform == "moodle":  # its importer: the second part is the participant's number
            assert entry.split("/")[0].split("_")[1:4] == [
                str(4700 + n),
                "assignsubmission",
                "file",
            ]
        if platform == "canvas":  # its importer: the first two parts that are numbers
            parts = [part for part in entry.split("_") if part.isascii() and part.isdigit()]
            assert parts[:2] == [str(9000 + n), str(77000 + n)]


def test_names_that_are_no_text_or_stand_there_twice_have_their_page(tmp_path: Path) -> None:
    names = ["\udcff", "a\\b", "x", "X2"]
    files = ["\udcff.ipynb", "a\\b.ipynb", "x.ipynb", "x.IPYNB"]
    results = [replace(notebook(f"n{n}"), learner=name) for n, name in enumerate(names)]
    folder = tmp_path / "Anna Ng_47_assignsubmission_file_"
    paths = {one.name: folder / file for one, file in zip(results, files, strict=True)}
    with Store(tmp_path / "out") as store:
        for result in results:
            write_notebook(store, result)
        archives.write(store, results, paths, Roster())
        (name,) = (tmp_path / "out/upload").iterdir()
        archives.write(store, [], {}, Roster())
        assert not name.exists()  # what a later run has no page for is removed
        archives.write(store, results, paths, Roster())
    with zipfile.ZipFile(name) as archive:
        inside = [Path(entry).name for entry in archive.namelist()]
    assert inside == ["\ufffd.html", "a_b.html", "x.html", "x-2.html"]
