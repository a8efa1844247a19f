"""What is hidden in a folder has its line: a notebook its own, all else one together."""

import json
from pathlib import Path

import pytest

from notebook_judge.grading import submissions
from notebook_judge.grading.runner import UNREAD
from tests.grading.tiny_course import save
from transformer_checks.cli import main

HIDDEN = "it is hidden, because its name begins with a dot; rename it to have it graded"
NOTEBOOKS = (".x.ipynb", ".X.IPYNB", ".x.ipynb.txt", ".work/deep/x.ipynb")
OTHERS = (
    *(".DS_Store", "deep/.DS_Store", ".git/config", ".hidden", "._x.ipynb", "__MACOSX/._x.ipynb"),
    *(".ipynb_checkpoints/x-checkpoint.ipynb", "deep/.ipynb_checkpoints/y-checkpoint.ipynb"),
    "__pycache__/x.pyc",
)
LEFT = [
    *(".DS_Store (2)", ".git", ".hidden", ".ipynb_checkpoints (2)", "._x.ipynb (2)", "__pycache__")
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("anna/x.ipynb", "ben/x.ipynb", *(f"anna/{one}" for one in (*NOTEBOOKS, *OTHERS))):
        save(tmp_path / "class" / name, ())
    return tmp_path / "class"


def test_a_hidden_notebook_has_a_line_and_all_else_is_named(folder: Path) -> None:
    files = submissions.find([str(folder)])
    found = {file.path.relative_to(folder).as_posix(): file.refused for file in files}
    assert found == {"anna/x.ipynb": "", "ben/x.ipynb": ""} | dict.fromkeys(
        ["anna/.x.ipynb", "anna/.X.IPYNB", "anna/.x.ipynb.txt", "anna/.work"], HIDDEN
    )
    assert sorted(submissions.hidden([str(folder)])) == sorted(LEFT)


def test_the_reports_name_what_is_hidden(
    faked: list[str], tiny: None, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert main(["grade", str(folder), "--out", str(out), "--isolation", "limits"]) == UNREAD
    report = json.loads((out / "grades.json").read_text())
    assert [one["reason"] for one in report["notebooks"] if one["status"] == "unreadable"] == (
        4 * [HIDDEN]
    )
    assert sorted(report["hidden"]) == sorted(LEFT)
    page = (out / "index.html").read_text("utf-8")
    assert ".DS_Store (2)" in page and ".hidden" in page and HIDDEN[:30] in page
    assert sorted(faked) == ["anna_x", "ben_x"]


def test_what_is_named_is_graded_though_it_is_hidden(folder: Path) -> None:
    (file,) = submissions.find([str(folder / "anna/.x.ipynb")])
    assert file.refused == ""
    with pytest.raises(submissions.NothingToGrade, match="no notebook in"):
        submissions.find([str(folder / "anna/.git")])
