"""Whose a notebook is."""

from pathlib import Path

import pytest

from notebook_judge.grading.learners import Roster, read_roster
from notebook_judge.grading.submissions import labels
from notebook_judge.grading.tables import BadTable


def owners(roster: Roster, *names: str) -> list[str]:
    paths = [Path("/class") / name for name in names]
    return roster.owners(paths, labels(paths))


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("anna/02_self_attention.ipynb", "anna"),
        ("anna/02_self_attention/02_self_attention.ipynb", "anna"),  # nbgrader
        ("02_self_attention/anna.ipynb", "anna"),
        ("lesson 02/anna.ipynb", "anna"),
        ("anna_02_self_attention.ipynb", "anna"),
        ("02-self-attention-anna-v2.ipynb", "anna"),
        ("anna\\02_self_attention.ipynb", "anna"),  # an archive from Windows
        ("Zoe\u0308 Ng_4711_assignsubmission_file_/02_self_attention.ipynb", "Zoë Ng"),
        ("Anna Ng_4711_assignsubmission_file_02_self_attention.ipynb", "Anna Ng"),
        ("nganna_LATE_12345_678901_02_self_attention-1.ipynb", "nganna_12345"),
        ("anna/02_self_attention.IPYNB", "anna"),
        ("anna_02_self_attention.ipynb.txt", "anna"),
        ("अनीता शर्मा_47_assignsubmission_file_/x.ipynb", "अनीता शर्मा"),
        ("student_07.ipynb", "student_07"),  # not: lesson 07
        ("07.ipynb", "07"),
        ("02_self_attention (1).ipynb", "02_self_attention (1)"),
        ("anna\x1b[31m\u202e/x.ipynb", "anna\ufffd[31m\ufffd"),
    ],
)
def test_folders_and_names_tell_whose_it_is(name: str, owner: str) -> None:
    assert owners(Roster(), name, "dora/x.ipynb")[0] == owner


def test_one_learners_folder_is_known_by_its_own_name() -> None:
    names = ("anna/01_tokens_and_embeddings.ipynb", "anna/02_self_attention.ipynb")
    assert owners(Roster(), *names) == ["anna", "anna"]


def test_a_pattern_decides_at_the_end_of_the_path() -> None:
    names = ("g1/anna_02.ipynb", "g2/anna_03.ipynb", "other.ipynb")
    assert owners(read_roster("{learner}_*.ipynb"), *names) == ["anna", "anna", "other"]
    assert owners(read_roster("{learner}/*.ipynb"), *names)[:2] == ["g1", "g2"]
    with pytest.raises(BadTable, match="more than once"):
        read_roster("{learner}/{learner}.ipynb")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])  # as Excel writes them
def test_a_table_knows_learners_by_their_files_and_by_what_they_are_called(
    tmp_path: Path, encoding: str
) -> None:
    table = tmp_path / "class.csv"
    table.write_text(
        "Learner;Files;Name;Email;Login;Number;Id\n"
        "anna;a?_*.ipynb;Anna Ng;;;;\n"
        "ben;team_b;;;;;\n"
        "cem;;;cem@x.org;cemlogin;0042;77\n",
        encoding=encoding,
    )
    roster = read_roster(str(table))
    assert list(roster.table) == ["anna", "ben", "cem"]
    assert roster.table["anna"].name == "Anna Ng"
    names = (
        "an_02.ipynb",
        "team_b/deep/x.ipynb",
        "CEMLOGIN/x.ipynb",
        "0042/x.ipynb",
        "dia/x.ipynb",
    )
    assert owners(roster, *names) == ["anna", "ben", "cem", "cem", "dia"]


@pytest.mark.parametrize(
    ("folder", "owner"),
    [
        ("Anna Ng_4711_assignsubmission_file_", "u1"),
        ("NG Anna_9_assignsubmission_file_", "u1"),  # another order, another case
        ("Somebody_4712_assignsubmission_file_", "u2"),  # the participant's number
        ("Kim Lee_4714_assignsubmission_file_", "u4"),  # two have this name
        ("Kim Lee_9_assignsubmission_file_", "Kim Lee"),
        ("अनीता शर्मा_8_assignsubmission_file_", "u5"),
        ("María del Carmen de la Cruz Santos_8_assignsubmission_file_", "u6"),
        ("nganna_555_777_x.ipynb", "u1"),  # Canvas writes the last name first
        ("who_31_777_x.ipynb", "who_31_777_x"),  # no number of Canvas's is so short
        ("who_3131_777_x.ipynb", "u2"),
    ],
)
def test_a_platforms_folders_are_joined_by_name_or_number(
    tmp_path: Path, folder: str, owner: str
) -> None:
    table = tmp_path / "class.csv"
    table.write_text(
        'learner,name,participant,id\nu1,"Ng, Anna",Participant 4711,\n'
        "u2,Ben Öz,4712,3131\nu3,Kim Lee,4713,\nu4,Lee Kim,4714,\nu5,शर्मा अनीता,,\n"
        'u6,"de la Cruz Santos, María del Carmen",,\n',
        encoding="utf-8",
    )
    name = folder if folder.endswith(".ipynb") else f"{folder}/x.ipynb"
    assert owners(read_roster(str(table)), name, "dora/x.ipynb")[0] == owner


def test_two_of_one_name_are_two_people(tmp_path: Path) -> None:
    twins = [f"Anna Ng_{number}_assignsubmission_file_/x.ipynb" for number in (47, 48)]
    assert owners(Roster(), *twins) == ["Anna Ng_47", "Anna Ng_48"]
    assert owners(Roster(), *twins, "notes.txt")[:2] == ["Anna Ng_47", "Anna Ng_48"]
    table = tmp_path / "class.csv"
    table.write_text("learner,name,participant\nu1,Anna Ng,48\nu2,Ben Ng,\n")
    assert owners(read_roster(str(table)), *twins) == ["Anna Ng_47", "u1"]
    canvas = [f"ngben_{number}_777_x.ipynb" for number in (3131, 3132)]
    assert owners(read_roster(str(table)), *canvas) == ["ngben_3131", "ngben_3132"]
    assert owners(read_roster(str(table)), *canvas[:1]) == ["u2"]


def test_downloads_side_by_side_are_of_one_class_but_nobody_takes_anothers_name() -> None:
    folder = "Ben Ng_{}_assignsubmission_file_/x.ipynb"
    weeks = [f"week one/{folder.format(1)}", f"week two/{folder.format(9)}"]
    assert owners(Roster(), *weeks) == ["Ben Ng", "Ben Ng"]
    assert owners(Roster(), f"anna/{folder.format(1)}", "ben/x.ipynb") == ["anna", "ben"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name\nAnna\n", "has no column 'learner'; its columns are: name"),
        ("", "has no column 'learner'; its columns are: none"),
        ("learner\nanna\n\nanna\n", "line 4: 'anna' stands in it twice"),
        ("learner,name\n,Anna\n", "line 2: there is no learner"),
        ("learner\nanna,b,c\n", "line 2: 3 cells under 1 columns"),
        ("learner\n", "holds no learner"),
        ('learner\n"anna\n', "is no CSV"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(tmp_path: Path, text: str, words: str) -> None:
    table = tmp_path / "class.csv"
    table.write_text(text)
    with pytest.raises(BadTable) as refused:
        read_roster(str(table))
    assert words in str(refused.value)
    table.write_bytes(b"learner\n\xff\n")
    with pytest.raises(BadTable, match="not text in UTF-8"):
        read_roster(str(table))
    with pytest.raises(BadTable, match="cannot read"):
        read_roster(str(tmp_path / "missing.csv"))
