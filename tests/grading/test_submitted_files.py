"""Files are found, read without trust, and assigned to a lesson by what they define."""

import json
import os
from pathlib import Path

import nbformat
import pytest

from authoring.execute import ROOT
from tests.grading.tiny_course import RIGHT, save
from transformer_checks.grading import submissions
from transformer_checks.grading.grader import grade_notebook
from transformer_checks.grading.submissions import NothingToGrade, Unreadable


def test_old_format_and_byte_order_mark_are_read(tiny: None, tmp_path: Path) -> None:
    cell = {"cell_type": "code", "language": "python", "input": RIGHT["ends"], "outputs": []}
    old = {"metadata": {}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": [cell]}]}
    path = tmp_path / "old"
    path.write_text(json.dumps(old), encoding="utf-8-sig")
    (read,) = submissions.read(path)
    assert read.source == RIGHT["ends"]
    assert [check.answer for check in submissions.exercises([read])][:2] == ["double", "total"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"\xff\xfe\x00", "it is not text in UTF-8"),
        (b"print('not JSON')", "it is not JSON; download the .ipynb file again"),
        (b"[]", "it is not a Jupyter notebook"),
        (b'{"cells": [{"cell_type": "code"}]}', "it is not a Jupyter notebook"),
        (b'{"cells": 3, "nbformat": 4}', "it is not a Jupyter notebook"),
        (b'{"nbformat": 4, "nbformat_minor": 5, "cells": [3]}', "it is not a Jupyter notebook"),
        (b"[" * 200_000, "it is not a Jupyter notebook"),
        (
            nbformat.writes(nbformat.v4.new_notebook()).encode(),
            "no exercise of this course is in it; is it a lesson? Exercises are in exercises/",
        ),
    ],
    ids=lambda part: str(part)[:24],
)
def test_what_is_no_notebook_of_this_course_says_why(
    content: bytes, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "strange.ipynb"
    path.write_bytes(content)
    result = grade_notebook(path, "strange", 0)
    assert (result.status, result.reason, result.exercises) == ("unreadable", reason, ())


def test_what_is_no_regular_file_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "folder.ipynb").mkdir()
    (tmp_path / "large.ipynb").write_bytes(b"{" * 100)
    monkeypatch.setattr(submissions, "LARGEST", 99)
    for name, reason in (
        ("pipe", "no regular file"),
        ("folder", "a folder"),
        ("missing", "no such file"),
        ("large", "larger than"),
    ):
        with pytest.raises(Unreadable, match=reason):
            submissions.read(tmp_path / f"{name}.ipynb")


def test_a_lesson_that_imports_what_the_exercises_ask_for_is_no_submission() -> None:
    with pytest.raises(Unreadable, match="is it a lesson"):
        submissions.exercises(submissions.read(ROOT / "notebooks/02_self_attention.ipynb"))


def test_names_of_any_alphabet_stay(tmp_path: Path) -> None:
    paths = [tmp_path / "李雷.ipynb", tmp_path / "Zoe\u0308.ipynb", tmp_path / "a b.ipynb"]
    assert submissions.labels(paths) == ["李雷", "Zoë", "a_b"]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("%time x = 1\ndef f(): pass", {"f"}),
        ("!ls\ny: int = 2\nfrom a import b as c", {"y"}),
        ("if True:\n    async def g(): pass", {"g"}),
        ("def h(:\n    pass\nz = (", {"h", "z"}),
        ("%%html\n<p>def no()</p>", set()),
        ("(" * 5000, set()),
    ],
)
def test_defined_names_are_found_even_where_a_cell_does_not_parse(
    source: str, names: set[str]
) -> None:
    assert names <= submissions._cell(source).defines <= names | {"_"}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import sys\nsys.setprofile(None)", "setprofile"),
        ("from sys import _getframe as frame", "_getframe"),
        ("import transformer_checks.checks.calls", "transformer_checks.checks.calls"),
        ("from transformer_checks.checks import calls", "transformer_checks.checks.calls"),
        (
            "from transformer_checks.grading.sandbox import protocol",
            "transformer_checks.grading.sandbox.protocol",
        ),
        ("from transformer_lesson.checks import check, hint, progress", ""),
        ("from transformer_lesson.attention import MultiHeadAttention", ""),
        ("# sys.setprofile(None)\n'transformer_checks.grading'", ""),
        ("from . import _getframe_of_mind", ""),
    ],
)
def test_code_that_reaches_for_the_grader_is_noticed(source: str, name: str) -> None:
    assert submissions._cell(source).reaches == name


def test_a_link_is_refused_wherever_it_leads(tiny: None, tmp_path: Path) -> None:
    save(tmp_path / "own.ipynb", [RIGHT["ends"]])
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "own.ipynb")
    with pytest.raises(Unreadable, match="it is a link"):
        submissions.read(tmp_path / "link.ipynb")


def test_folders_and_patterns_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b/x.ipynb", "a/x.ipynb", "a/.ipynb_checkpoints/x.ipynb", "top.ipynb"):
        save(tmp_path / name, ())
    (tmp_path / "a/notes.txt").touch()
    monkeypatch.chdir(tmp_path)
    assert list(map(str, submissions.find(["."]))) == ["a/x.ipynb", "b/x.ipynb", "top.ipynb"]
    assert list(map(str, submissions.find(["*/x.ipynb", "a", "./top.ipynb"]))) == [
        "a/x.ipynb",
        "b/x.ipynb",
        "top.ipynb",
    ]
    assert list(map(str, submissions.find(["a/notes.txt"]))) == ["a/notes.txt"]


def test_what_reset_kept_is_graded_only_if_named(tmp_path: Path) -> None:
    own, kept = tmp_path / "02.ipynb", tmp_path / "02.copy_2026-01-02_030405.ipynb"
    own.touch()
    kept.touch()
    assert submissions.find([str(tmp_path)]) == [own]
    assert submissions.find([str(kept)]) == [kept]


def test_nothing_to_grade_names_the_path(tmp_path: Path) -> None:
    with pytest.raises(NothingToGrade, match=r"no file or folder 'missing\.ipynb'"):
        submissions.find(["missing.ipynb"])
    with pytest.raises(NothingToGrade, match="no notebook in"):
        submissions.find([str(tmp_path)])


def test_labels_are_distinct_and_safe(tmp_path: Path) -> None:
    names = ["anna/02.ipynb", "ben/02.ipynb", "a b/../ü/..ipynb", "A_02", "a/02.ipynb", "x" * 200]
    labels = submissions.labels([tmp_path / name for name in names])
    assert labels[:2] == ["anna_02", "ben_02"]
    assert labels[3:5] == ["A_02", "a_02-2"]
    assert len({label.casefold() for label in labels}) == len(names)
    assert all(label.replace("_", "").replace("-", "").isalnum() for label in labels)
    assert submissions.labels([Path("somewhere/02_self_attention.ipynb")]) == ["02_self_attention"]
