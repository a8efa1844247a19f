"""Files are found, read without trust, and assigned to a lesson by what they define."""

import os
import time
from pathlib import Path

import nbformat
import pytest

from authoring.execute import ROOT
from notebook_judge.grading import submissions
from notebook_judge.grading.grader import grade_notebook
from notebook_judge.grading.lessons import lesson_of
from notebook_judge.grading.notebook_session import Cell
from notebook_judge.grading.sandbox import reading
from notebook_judge.grading.submissions import File, NothingToGrade
from tests.grading.tiny_course import save


def test_a_notebook_that_imports_what_the_exercises_ask_for_is_no_submission(
    tmp_path: Path,
) -> None:
    imported = "from transformer_lesson.attention import causal_mask"
    result = grade_notebook(save(tmp_path / "a.ipynb", [imported, "causal_mask(3)"]), "a", 0)
    assert result.status == "unreadable"
    assert "is it a lesson" in result.reason


def _pasted(lesson: str, guest: str, path: Path, *, checks: bool) -> Path:
    """A solved lesson behind the answers of another one; with or without its check cells."""
    own, other = (
        nbformat.read(ROOT / "solutions" / f"{name}.ipynb", as_version=4).cells
        for name in (lesson, guest)
    )
    pasted = [c for c in other if c.metadata.get("nbgrader", {}).get("solution")]
    kept = [c for c in own if checks or not c.metadata.get("nbgrader", {}).get("grade")]
    for cell in [*pasted, *(kept if not checks else [])]:
        cell.metadata.pop("nbgrader", None)
    return save(path, [c.source for c in (*pasted, *kept) if c.cell_type == "code"])


@pytest.mark.parametrize("checks", [True, False], ids=["with check cells", "without"])
def test_pasted_helpers_do_not_change_the_lesson(tmp_path: Path, checks: bool) -> None:
    book = _pasted("08_bert_and_gpt", "02_self_attention", tmp_path / "a.ipynb", checks=checks)
    result = grade_notebook(book, "a", 0, lesson="" if checks else "08_bert_and_gpt")
    assert (result.lesson, result.points) == ("08_bert_and_gpt", result.max_points)
    assert result.notes == ()


def test_doubt_about_the_lesson_is_told() -> None:
    two, eight = ("attention.softmax", "attention.scores"), ("bert.pair",)

    def lesson(*cells: Cell) -> tuple[str, str]:
        return lesson_of(cells)

    mixed = Cell(frozenset(), frozenset(), frozenset((*two, *eight)), "", "", "", "")
    assert lesson(mixed)[0] == "02_self_attention"
    assert "02_self_attention (2) and 08_bert_and_gpt (1)" in lesson(mixed)[1]
    bare = Cell(frozenset({"softmax"}), frozenset(), frozenset(), "", "", "", "")
    assert lesson(bare) == (
        "02_self_attention",
        "no check cell tells its lesson; its functions are those of 02_self_attention",
    )
    by_id = Cell(frozenset({"softmax"}), frozenset(), frozenset(), "bert-pair", "", "", "")
    assert lesson(by_id) == ("08_bert_and_gpt", "")


def test_names_of_any_alphabet_stay(tmp_path: Path) -> None:
    paths = [tmp_path / "李雷.ipynb", tmp_path / "Zoe\u0308.ipynb", tmp_path / "a b.ipynb"]
    assert submissions.labels(paths) == ["李雷", "Zoë", "a_b"]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("%time x = 1\ndef f(): pass", {"f"}),
        ("%%time\nx = 1\ndef f(): pass", {"f", "x"}),
        ("!ls\ny: int = 2\nfrom a import b as c", {"y", "c"}),
        ("files = !ls\ny = 1\ny?", {"files", "y"}),
        ("\n".join(f"%magic {n}" for n in range(600)) + "\ny = 1", {"y"}),
        ("x = [" + "1, " * 700_000 + "]\ndef f(): pass", {"f", "x"}),
        ("if True:\n    async def g(): pass", {"g"}),
        ("def h(:\n    pass\nz = (", {"h", "z"}),
        ("%%html\n<p>def no()</p>", set()),
        ("(" * 5000, set()),
    ],
)
def test_defined_names_are_found_even_where_a_cell_does_not_parse(
    source: str, names: set[str]
) -> None:
    start = time.monotonic()
    told = reading.facts(source, frozenset("abcdefghxyz") | {"files", "no"})
    assert set(told["names"]) == names
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import sys\nsys.setprofile(None)", "setprofile"),
        ("from sys import _getframe as frame", "_getframe"),
        ("import notebook_judge.checks.calls", "notebook_judge.checks.calls"),
        ("from notebook_judge.checks import calls", "notebook_judge.checks.calls"),
        (
            "from notebook_judge.grading.sandbox import protocol",
            "notebook_judge.grading.sandbox.protocol",
        ),
        ("from transformer_lesson.checks import check, hint, progress", ""),
        ("from transformer_lesson.checks import *", ""),
        ("from transformer_lesson.attention import MultiHeadAttention", ""),
        ("# sys.setprofile(None)\n'notebook_judge.grading'", ""),
        ("from . import _getframe_of_mind", ""),
    ],
)
def test_code_that_reaches_for_the_grader_is_noticed(source: str, name: str) -> None:
    assert reading.facts(source, frozenset())["reaches"] == name


def test_every_file_of_a_folder_has_a_line(tmp_path: Path) -> None:
    names = ("a.ipynb", "b.IPYNB", "c.ipynb.txt", "d.zip", "e.docx", ".hidden", "reports/x.html")
    for name in (*names, "timestamp.txt", "ben/timestamp.txt"):  # the first is nbgrader's
        save(tmp_path / "class" / name, ())
    save(tmp_path / "elsewhere/f.ipynb", ())
    (tmp_path / "class/linked").symlink_to(tmp_path / "elsewhere")
    files = submissions.find([str(tmp_path / "class")], tmp_path / "class/reports")
    assert tmp_path / "class/timestamp.txt" not in [file.path for file in files]
    assert {file.path.name: file.refused for file in files} == {
        "a.ipynb": "",
        "b.IPYNB": "",
        "c.ipynb.txt": "",
        "d.zip": "it is an archive; unpack it",
        "e.docx": "it is no notebook",
        "timestamp.txt": "it is no notebook",
        "linked": "it is a link to a folder; hand in the folder itself",
    }


def test_a_link_that_a_pattern_chose_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path / "class/anna/x.ipynb", ())
    (tmp_path / "class/ben").symlink_to(tmp_path / "class/anna")
    (tmp_path / "class/cem").mkdir()
    (tmp_path / "class/cem/x.ipynb").symlink_to(tmp_path / "class/anna/x.ipynb")
    (tmp_path / "short").symlink_to(tmp_path / "class")
    monkeypatch.chdir(tmp_path)
    link = "a link leads to it; hand in the file itself"
    expanded = [f"short/{name}/x.ipynb" for name in ("anna", "ben", "cem")]
    for pattern in (["short/*/x.ipynb"], expanded):  # the grader's, or one that a shell expands
        found = {str(file.path): file.refused for file in submissions.find(pattern)}
        assert found == dict(zip(expanded, ("", link, link), strict=True))


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser can read every folder")
def test_a_folder_that_cannot_be_read_has_a_line(tmp_path: Path) -> None:
    save(tmp_path / "a.ipynb", ())
    (tmp_path / "closed").mkdir(mode=0)
    refused = [file.refused for file in submissions.find([str(tmp_path)]) if file.refused]
    (tmp_path / "closed").chmod(0o700)
    assert refused == ["this folder cannot be read: Permission denied"]


def test_folders_and_patterns_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b/x.ipynb", "a/x.ipynb", "a/.ipynb_checkpoints/x.ipynb", "top.ipynb"):
        save(tmp_path / name, ())
    (tmp_path / "a/notes.txt").touch()
    monkeypatch.chdir(tmp_path)

    def found(*paths: str) -> list[str]:
        return [str(file.path) for file in submissions.find(paths) if not file.refused]

    assert sorted(found(".")) == ["a/x.ipynb", "b/x.ipynb", "top.ipynb"]
    assert found("*/x.ipynb", "a", "./top.ipynb") == ["a/x.ipynb", "b/x.ipynb", "top.ipynb"]
    assert found("a/notes.txt") == ["a/notes.txt"]


def test_what_reset_kept_is_graded_only_if_named(tmp_path: Path) -> None:
    own, kept = tmp_path / "02.ipynb", tmp_path / "02.copy_2026-01-02_030405.ipynb"
    own.touch()
    kept.touch()
    refused = "it is a copy that `reset` kept; name it to have it graded"
    found = submissions.find([str(tmp_path)])
    assert sorted(found, key=str) == [File(own), File(kept, refused)][::-1]
    assert submissions.find([str(kept)]) == [File(kept)]


def test_nothing_to_grade_names_the_path(tmp_path: Path) -> None:
    with pytest.raises(NothingToGrade, match=r"no file or folder 'missing\.ipynb'"):
        submissions.find(["missing.ipynb"])
    with pytest.raises(NothingToGrade, match="no notebook in"):
        submissions.find([str(tmp_path)])
    (tmp_path / "all.zip").touch()
    for path in (tmp_path, tmp_path / "all.zip"):
        with pytest.raises(NothingToGrade, match=r"no notebook in .* 'all\.zip': it is an archive"):
            submissions.find([str(path)])


def test_labels_are_distinct_and_safe(tmp_path: Path) -> None:
    names = ["anna/02.ipynb", "ben/02.ipynb", "a b/../ü/..ipynb", "A_02", "a/02.ipynb", "x" * 200]
    labels = submissions.labels([tmp_path / name for name in names])
    assert labels[:2] == ["anna_02", "ben_02"]
    assert labels[3:5] == ["A_02", "a_02-2"]
    assert len({label.casefold() for label in labels}) == len(names)
    assert all(label.replace("_", "").replace("-", "").isalnum() for label in labels)
    assert submissions.labels([Path("somewhere/02_self_attention.ipynb")]) == ["02_self_attention"]
