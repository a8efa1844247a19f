"""Names: one spelling at every door, and what is added to the name of a copy."""

import csv
import json
import time
import unicodedata
import zipfile
from pathlib import Path
from typing import Literal

import pytest

from notebook_judge.grading.deadlines import read_deadlines, read_rule
from notebook_judge.grading.learners import Roster, copies, read_roster
from notebook_judge.grading.names import original, stem, tidy
from notebook_judge.grading.overrides import read_overrides
from notebook_judge.grading.submissions import labels
from notebook_judge.grading.tables import read_table
from tests.grading.tiny_course import save
from transformer_checks.cli import main

Form = Literal["NFC", "NFD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD")


def form(name: Form, text: str) -> str:
    return unicodedata.normalize(name, text)


def owners(roster: Roster, *names: str) -> list[str]:
    paths = [Path("/class") / name for name in names]
    return roster.owners(paths, labels(paths))


def said(roster: Roster, *names: str) -> str:
    paths = [Path("/class") / name for name in names]
    called = [name for name, _ in roster.called(paths, labels(paths))]
    return "; ".join(copies(zip(called, owners(roster, *names), strict=True), roster.table))


# Each way in which a name comes in: what lies on the disk, the table's row, and what it is called.
DOORS = {
    "a folder": ("Zoë/02.ipynb", "Zoë,,,", "Zoë"),
    "a file": ("Zoë_02_self_attention.ipynb", "Zoë,,,", "Zoë"),
    "the column files, a folder": ("Übung Zoë/02.ipynb", "zo,Übung Zoë,,", "zo"),
    "the column files, a pattern": ("Zoë_02.ipynb", "zo,Zoë_*.ipynb,,", "zo"),
    "the column name": ("Zoë Ng_47_assignsubmission_file_/02.ipynb", 'zo,,"Ng, Zoë",', "zo"),
    "the column login": ("zoë/02.ipynb", "zo,,,Zoë", "zo"),
    "Canvas": ("ngzoë_12345_678901_02.ipynb", 'zo,,"Ng, Zoë",', "zo"),
}


@pytest.mark.parametrize("table_form", FORMS)
@pytest.mark.parametrize("disk_form", FORMS)
@pytest.mark.parametrize("door", DOORS)
def test_a_name_is_one_in_either_form(
    tmp_path: Path, door: str, disk_form: Form, table_form: Form
) -> None:
    place, row, learner = DOORS[door]
    table = tmp_path / "class.csv"
    rows = f"learner,files,name,login\n{row}\ndora,,,\n"
    table.write_text(form(table_form, rows), encoding="utf-8")
    roster = read_roster(str(table))
    assert list(roster.table) == [form("NFC", learner), "dora"]
    assert owners(roster, form(disk_form, place), "dora/x.ipynb") == [form("NFC", learner), "dora"]


@pytest.mark.parametrize("pattern_form", FORMS)
@pytest.mark.parametrize("disk_form", FORMS)
def test_a_pattern_is_one_in_either_form(disk_form: Form, pattern_form: Form) -> None:
    roster = read_roster(form(pattern_form, "Übung_{learner}.ipynb"))
    assert owners(roster, form(disk_form, "Übung_Zoë.ipynb")) == ["Zoë"]


@pytest.mark.parametrize("table_form", FORMS)
def test_tables_of_dates_and_of_decisions_know_a_name_in_either_form(
    tiny: None, tmp_path: Path, table_form: Form
) -> None:
    given = tmp_path / "given.csv"
    given.write_text(
        form(table_form, "learner,exercise,points,comment\nZoë,tiny.total,1,Ü\n"), encoding="utf-8"
    )
    assert list(read_overrides(given, {"Zoë"}).given) == [("Zoë", "tiny.total")]
    given.write_text(form(table_form, "lesson,due,learner\n,2030-03-01,Zoë\n"), encoding="utf-8")
    assert list(read_deadlines(str(given), read_rule(""), {"Zoë"}).due) == [("Zoë", "")]


@pytest.mark.parametrize("table_form", FORMS)
@pytest.mark.parametrize("disk_form", FORMS)
def test_a_run_has_one_row_and_one_page_for_a_name_in_two_forms(
    faked: list[str], tiny: None, tmp_path: Path, disk_form: Form, table_form: Form
) -> None:
    for name in ("Zoë", "Ben"):
        save(tmp_path / "submitted" / form(disk_form, name) / "tiny/x.ipynb", ())
    table, by_hand, due = (tmp_path / f"{name}.csv" for name in ("class", "by_hand", "due"))
    table.write_text(form(table_form, "learner,name\nZoë,Zoë Öz\nBen,\n"), encoding="utf-8")
    rows = "learner,exercise,points,comment\nZoë,tiny.total,1,Gut\n"
    by_hand.write_text(form(table_form, rows), encoding="utf-8")
    rows = "lesson,due,learner\n,2000-01-01,Zoë\n"
    due.write_text(form(table_form, rows), encoding="utf-8")
    out = tmp_path / "out"
    options = ["--learners", str(table), "--overrides", str(by_hand), "--due", str(due)]
    command = ["grade", str(tmp_path / "submitted"), "--out", str(out), "--late", "50%"]
    assert main([*command, *options, "--isolation", "limits"]) == 0
    found = {
        one["learner"]: one for one in json.loads((out / "grades.json").read_text())["notebooks"]
    }
    assert sorted(found) == ["Ben", "Zoë"]
    assert (found["Zoë"]["points"], found["Ben"]["points"]) == (1.5, 2)
    for platform, column in {"canvas": "Student", "moodle": "Full name"}.items():
        with (out / f"gradebook/{platform}.csv").open(encoding="utf-8", newline="") as file:
            assert [form("NFC", row[column]) for row in csv.DictReader(file)].count("Zoë Öz") == 1
    with zipfile.ZipFile(out / "upload/nbgrader.zip") as archive:
        places = [form("NFC", name) for name in archive.namelist()]
        assert sorted(places) == [f"feedback/{name}/tiny/x.html" for name in ("Ben", "Zoë")]


# What products add: see ``names``.
MARKED = (
    *("{} (1)", "{}(2)", "{}-Copy1", "{}-Copy1-Copy2", "{} copy", "{} copy 2", "{}_copy"),
    *(
        "{} - Copy",
        "{} - Copy (2)",
        "{} - Kopie (2)",
        "{} \u2013 Kopie",
        "{} - Copie",
        "{} (Kopie)",
    ),
    *("{} (copy)", "{} (another copy)", "{} (3rd copy)", "{} (Copy 2)", "{} (copy 1)"),
    *("{} (weitere Kopie)", "{} - Cópia", "{}のコピー", "{} 的副本", "{}_final", "{} (1) (1)"),
    *("Copy of {}", "Copy of Copy of {}", "Copy (2) of {}", "Kopie von {}", "Copie de {}"),
    *("Copia di {}", "Cópia de {}", "Копия {}", "{} (Anna's conflicted copy 2030-03-01)"),
)
OWN = (
    *("anna 2", "team 2", "student_07", "Copia", "final", "anna (left)", "photocopy", "Finalé"),
    *("a (copyright) b", "Anna Kopiec", "group-1", "(1)", "anna1"),
)


@pytest.mark.parametrize("mark", MARKED)
@pytest.mark.parametrize("spelled", FORMS)
def test_what_is_added_to_a_copy_is_known(mark: str, spelled: Form) -> None:
    assert original(form(spelled, mark.format("Zoë Ng_02"))) == "Zoë Ng_02"


@pytest.mark.parametrize("name", OWN)
def test_what_belongs_to_a_name_stays(name: str) -> None:
    assert original(name) == name


@pytest.mark.parametrize("end", [".ipynb", ".IPYNB", ".ipynb.txt", ".ipynb.json"])
def test_an_end_is_known_behind_a_mark_and_before_one(end: str) -> None:
    assert stem(f"anna (1){end}") == "anna (1)"
    assert (
        stem(f"anna.ipynb (1){end.removeprefix('.ipynb')}" if end != ".IPYNB" else "anna (1).ipynb")
        == "anna (1)"
    )


@pytest.mark.parametrize("mark", MARKED)
@pytest.mark.parametrize(
    "name", ["anna_02_self_attention.ipynb", "02_self_attention_anna.ipynb", "anna/x.ipynb"]
)
def test_a_copy_is_its_learners(tmp_path: Path, mark: str, name: str) -> None:
    """Beside the learner's own notebook, alone, and where a table has the class."""
    head, slash, tail = name.partition("/")
    copied = mark.format(head) + slash + tail if slash else mark.format(stem(name)) + ".ipynb"
    assert owners(Roster(), copied, "anna/03.ipynb") == ["anna", "anna"]
    assert owners(Roster(), copied, "dora/x.ipynb") == ["anna", "dora"]
    table = tmp_path / "class.csv"
    table.write_text("learner,name\nu1,anna\nu2,dora\n")
    roster = read_roster(str(table))
    assert owners(roster, copied, "dora/x.ipynb") == ["u1", "u2"]
    assert " is u1" in said(roster, copied, "dora/x.ipynb")


@pytest.mark.parametrize("mark", MARKED)
def test_a_pattern_and_the_column_files_find_copies(tmp_path: Path, mark: str) -> None:
    copied = mark.format("anna_02") + ".ipynb"
    assert owners(read_roster("{learner}_02.ipynb"), copied, "anna_02.ipynb") == ["anna", "anna"]
    table = tmp_path / "class.csv"
    table.write_text("learner,files\nu1,anna_02.ipynb\nu2,dora\n")
    assert owners(read_roster(str(table)), copied, "dora/x.ipynb") == ["u1", "u2"]


def test_whoever_is_taken_for_another_or_may_be_is_named(tmp_path: Path) -> None:
    names = ("anna_02_self_attention.ipynb", "anna_02_self_attention (1).ipynb", "ben/x.ipynb")
    assert owners(Roster(), *names) == ["anna", "anna", "ben"]
    assert "taken for the same learner: anna (1) is anna; --learners" in said(Roster(), *names)
    # A table may say that they are two.
    table = tmp_path / "class.csv"
    table.write_text("learner,name\nanna,\nanna (1),\n")
    roster, two = read_roster(str(table)), ("anna/x.ipynb", "anna (1)/x.ipynb")
    assert owners(roster, *two) == ["anna", "anna (1)"]
    assert said(roster, *two) == ""
    # Windows numbers so what it renames together: these are different people.
    group = ("student (1).ipynb", "student (2).ipynb")
    assert owners(Roster(), *group) == ["student (1)", "student (2)"]
    assert "called like copies" in said(Roster(), *group)
    assert "student (1), student (2); --learners says whose" in said(Roster(), *group)
    # One name's downloads by several who handed in the lesson's own name: nobody is merged.
    downloads = (
        "02_self_attention.ipynb",
        "02_self_attention (1).ipynb",
        "02_self_attention (2).ipynb",
    )
    assert len(set(owners(Roster(), *downloads))) == 3
    assert "02_self_attention (1), 02_self_attention (2)" in said(Roster(), *downloads)
    assert said(Roster(), "anna/x.ipynb", "ben/x.ipynb", "team 2/x.ipynb") == ""


def test_a_run_says_whose_copies_it_took(
    faked: list[str], tiny: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("anna/x", "anna - Copy/x", "ben/x"):
        save(tmp_path / f"class/{name}.ipynb", ())
    out = tmp_path / "out"
    command = ["grade", str(tmp_path / "class"), "--out", str(out), "--isolation", "limits"]
    assert main(command) == 0
    words = "Names that differ by a mark of copies alone are taken for the same learner: "
    assert words + "anna - Copy is anna;" in " ".join(capsys.readouterr().out.split())
    assert words + "anna - Copy is anna;" in (out / "index.html").read_text("utf-8")
    rows = (out / "gradebook/canvas.csv").read_text("utf-8").splitlines()
    assert [row.partition(",")[0] for row in rows[2:]] == ["anna", "ben"]


def test_a_number_in_brackets_makes_no_other_login(tmp_path: Path) -> None:
    table = tmp_path / "class.csv"
    table.write_text("learner\nanna\nanna1\n")
    names = ("anna (1)/x.ipynb", "anna1/x.ipynb", "anna_02_self_attention (1).ipynb", "ben.ipynb")
    assert owners(read_roster(str(table)), *names) == ["anna", "anna1", "anna", "ben"]


def test_equal_signs_of_two_learners_stand_for_neither_and_the_exact_name_comes_first(
    tmp_path: Path,
) -> None:
    table = tmp_path / "class.csv"
    table.write_text("learner,login\na-b,x.y\nab,xy\n")
    roster = read_roster(str(table))
    names = ("a-b/x.ipynb", "ab/x.ipynb", "a_b/x.ipynb", "x-y/x.ipynb")
    assert owners(roster, *names) == ["a-b", "ab", "a_b", "x-y"]


@pytest.mark.parametrize("length", [99, 100, 101, 255, 256, 5000])
def test_long_names_do_not_merge(tmp_path: Path, length: int) -> None:
    names = ["n" * (length - 1) + letter for letter in "ab"]
    assert len({tidy(name) for name in names}) == 2
    table = tmp_path / "class.csv"
    table.write_text("learner\n" + "\n".join(names) + "\n")
    roster = read_roster(str(table))
    assert len(roster.table) == 2
    if length < 256:  # as long as a folder's name may be
        assert owners(roster, *(f"{name}/x.ipynb" for name in names)) == names


def test_no_name_takes_long_to_read() -> None:
    start = time.monotonic()
    for part in (
        " copy ",
        "-Copy1",
        " (1)",
        " (copy",
        "copy of ",
        "_",
        " -",
        "(",
        "final",
        " 副本",
    ):
        name = (part * 255)[:254]
        for whole in (f"{name}x", f"x{name}", f"02_self_attention{name}x"):
            original(whole)
            stem(f"{whole}.ipynb{whole}x")
            owners(Roster(), f"{whole}.ipynb", "dora/x.ipynb")
    assert time.monotonic() - start < 5


# All that ``str.splitlines`` takes for the end of a line, and CSV does not.
BREAKS = ("\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("sign", BREAKS, ids=map(ascii, BREAKS))
def test_a_row_ends_where_csv_ends_it(tiny: None, tmp_path: Path, sign: str, end: str) -> None:
    table = tmp_path / "given.csv"

    def write(*rows: str) -> None:
        table.write_bytes(end.join([*rows, ""]).encode())

    write("learner,name", f"anna,Anna{sign}Ng", f"be{sign}n,", "cem,")
    assert list(read_roster(str(table)).table) == ["anna", tidy(f"be{sign}n"), "cem"]
    write("learner,exercise,points,comment", f"anna,tiny.total,1,well{sign}done")
    assert len(read_overrides(table, {"anna"}).given) == 1
    write(f"lesson,due,learner,a{sign}b", f",2030-03-01,,first{sign}second", ",2030-03-02,anna,")
    assert len(read_deadlines(str(table), read_rule(""), {"anna"}).due) == 2
    write("learner,name", f'anna,"two{end}lines"', "ben,")
    assert [line for line, _ in read_table(table, ["learner"])] == [3, 4]
