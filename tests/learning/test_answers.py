"""Answer cells are put back to what the course ships, and nothing else is touched."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from notebook_judge.checks.exercise import Check
from notebook_judge.learning import answers
from tests.learning.conftest import LESSON, ROOT, Answer, cell, read, source
from transformer_checks.catalogue import CHECKS, find

SOFTMAX = find("attention.softmax")
SHIPPED = [one for one in CHECKS.values() if (ROOT / f"exercises/{one.lesson}.ipynb").exists()]


@pytest.mark.parametrize("check", SHIPPED, ids=lambda check: check.name)
def test_stubs_are_those_that_are_shipped(check: Check) -> None:
    solved = ROOT / f"solutions/{check.lesson}.ipynb"
    identity = check.name.replace(".", "-").replace("_", "-")
    shipped = source(ROOT / f"exercises/{check.lesson}.ipynb", identity)
    assert answers.stub(check, solved) == shipped
    solution = answers.solution(check, solved)
    assert "### BEGIN SOLUTION" in source(solved, identity) and "SOLUTION" not in solution
    assert "NotImplementedError()" in shipped and "NotImplementedError()" not in solution
    compile(solution, check.name, "exec")


def stub(course: Path) -> str:
    return answers.stub(SOFTMAX, course / f"solutions/{LESSON}.ipynb")


def test_reset_changes_one_cell_and_keeps_a_copy(
    course: Path, notebook: Path, answer: Answer
) -> None:
    answer("attention-softmax", "def softmax(scores):\n    return scores  # mine")
    answer("attention-scores", "also = 'mine'")
    before = notebook.read_bytes()
    copy = answers.reset(SOFTMAX, notebook, stub(course))
    assert copy.read_bytes() == before
    assert copy.parent == notebook.parent and copy.name.startswith(f"{LESSON}.copy_20")
    after, was = read(notebook), json.loads(before)
    pairs = zip(after["cells"], was["cells"], strict=True)
    assert sum(now != then for now, then in pairs) == 1
    assert source(notebook, "attention-softmax") == stub(course)
    assert answers.is_empty(SOFTMAX, notebook, stub(course))


def test_two_resets_in_one_second_keep_two_copies(
    course: Path, notebook: Path, answer: Answer
) -> None:
    copies = set()
    for text in ("one = 1", "two = 2"):
        answer("attention-softmax", text)
        copies.add(answers.reset(SOFTMAX, notebook, stub(course)))
    assert len(copies) == 2
    assert {"one = 1", "two = 2"} == {source(copy, "attention-softmax") for copy in copies}


def test_a_cell_without_its_marks_is_known_by_what_it_defines(course: Path, notebook: Path) -> None:
    whole = read(notebook)
    odd_ones: Iterator[Any] = iter([[], None, {"nbgrader": 3}, {"nbgrader": []}])
    for one in whole["cells"]:  # as Colab does, and worse
        one["metadata"] = next(odd_ones, {})
        if "def softmax" in "".join(one["source"]):
            one["source"] = "def softmax(scores):\n    return 1"
    notebook.write_text("\ufeff" + json.dumps(whole), encoding="utf-8")
    answers.reset(SOFTMAX, notebook, stub(course))
    assert stub(course) in ["".join(one["source"]) for one in read(notebook)["cells"]]


def test_a_cell_that_is_gone_is_shown_instead(course: Path, notebook: Path) -> None:
    whole = read(notebook)
    gone = cell(notebook, "attention-softmax")
    whole["cells"].remove(gone)
    notebook.write_text(json.dumps(whole))
    before = notebook.read_bytes()
    with pytest.raises(answers.Unusable, match="Put this into a new cell") as refused:
        answers.reset(SOFTMAX, notebook, stub(course))
    assert stub(course) in str(refused.value)
    assert notebook.read_bytes() == before
    assert [path.name for path in notebook.parent.iterdir()] == [notebook.name]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"cells": [1]}', '{"worksheets": []}'])
def test_a_damaged_notebook_is_left_as_it_is(course: Path, notebook: Path, text: str) -> None:
    notebook.write_text(text)
    with pytest.raises(answers.Unusable, match="Nothing was changed"):
        answers.reset(SOFTMAX, notebook, stub(course))
    assert notebook.read_text() == text
    assert len(list(notebook.parent.iterdir())) == 1


def test_a_link_is_followed(course: Path, notebook: Path, answer: Answer) -> None:
    answer("attention-softmax", "mine = 1")
    link = course / "link.ipynb"
    link.symlink_to(notebook)
    copy = answers.reset(SOFTMAX, link, stub(course))
    assert link.is_symlink() and copy.parent == notebook.parent
    assert source(notebook, "attention-softmax") == stub(course)
