"""Which changes of the course have a class graded again."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from torch import Generator

from notebook_judge.catalogue import catalogue
from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check, Repair, Slip
from notebook_judge.checks.solutions import Solution
from notebook_judge.grading import versions
from tests.fixtures import Patch
from transformer_checks.catalogue import CHECKS
from transformer_checks.catalogue.translation import beat

CHECK = CHECKS["attention.scores"]
SLIP, *OTHERS = CHECK.slips


def version(check: Check, patch: Patch, seed: int = 5) -> str:
    """The version of a lesson of one exercise."""
    patch.setattr(catalogue(), "checks", {check.name: check})
    patch.setattr(catalogue(), "lessons", {check.lesson: (check.name,)})
    return versions.exercise_version.__wrapped__(check.lesson, seed)


def with_slip(**changes: Any) -> dict[str, tuple[Slip, ...]]:
    return {"slips": (replace(SLIP, **changes), *OTHERS)}


def with_text(old: str, new: str) -> dict[str, Solution]:
    assert old in CHECK.text.text
    return {"solution": replace(CHECK.text, text=CHECK.text.text.replace(old, new))}


def drawn(**changes: Any) -> Mapping[str, Any]:
    def draw(generator: Generator) -> list[Case]:
        first, *others = CHECK.draw(generator)
        return [replace(first, **changes), *others]

    return {"draw": draw}


FIRST = CHECK.cases(5)[0]
QUERY = FIRST.inputs["query"]
DEFINED = "def attention_scores("


@pytest.mark.parametrize(
    "changes",
    [
        {"hints": ("Another word.",), "title": "Scores", "minutes": 99},
        with_slip(says="In other words.", lead="Why?"),
        with_text(DEFINED, f"# A comment.\n\n\n{DEFINED}"),
        with_text("(query:", "(\n    query:"),
        drawn(label="in other words"),
        {"draw": lambda generator: [*CHECK.draw(generator)]},
    ],
    ids=["hint", "words of a slip", "comment", "layout", "label", "another way to draw the same"],
)
def test_words_and_layout_leave_a_class_as_it_is(
    changes: dict[str, Any], monkeypatch: Patch
) -> None:
    assert version(replace(CHECK, **changes), monkeypatch) == version(CHECK, monkeypatch)


@pytest.mark.parametrize(
    "changes",
    [
        drawn(inputs={**FIRST.inputs, "query": 2 * QUERY}),  # type: ignore[operator]
        drawn(inputs={**FIRST.inputs, "query": QUERY.mT.contiguous().mT}),  # type: ignore[union-attr]
        drawn(gradients=not FIRST.gradients),
        {"draw": lambda generator: CHECK.draw(generator)[1:]},
        with_text("math.sqrt(", "1.0 * math.sqrt("),
        {"rtol": 1e-3},
        {"atol": 1e-3},
        {"forbidden": CHECK.forbidden | {"einsum"}},
        {"allowed": ("attention",)},
        {"points": CHECK.points + 1},
        {"returns": ("others",)},
        with_slip(edits={"math.sqrt(": "2.0 * math.sqrt("}),
        with_slip(name="another name"),
        {"slips": CHECK.slips[::-1]},
        {"repairs": (Repair("the divisor", {"math.sqrt(": "2.0 * math.sqrt("}),)},
    ],
    ids=lambda changes: ", ".join(changes),
)
def test_what_decides_points_or_names_has_it_graded_again(
    changes: dict[str, Any], monkeypatch: Patch
) -> None:
    assert version(replace(CHECK, **changes), monkeypatch) != version(CHECK, monkeypatch)


def test_the_levels_of_an_open_exercise_count(monkeypatch: Patch) -> None:
    check = beat.CHECK
    assert check.rubric
    (least, points), *others = check.rubric.levels
    lower = replace(check.rubric, levels=((least - 1, points), *others))
    before = version(check, monkeypatch)
    assert version(replace(check, rubric=lower), monkeypatch) != before
    assert (
        version(replace(check, rubric=replace(check.rubric, unit="points")), monkeypatch) == before
    )


def test_the_seed_counts_where_there_are_cases(monkeypatch: Patch) -> None:
    assert version(CHECK, monkeypatch) != version(CHECK, monkeypatch, seed=6)
    assert versions.exercise_version("", 5) == versions.exercise_version("gone", 6)


@pytest.mark.parametrize(
    ("file", "text", "again"),
    [
        ("judge.py", '"""Says."""\nx = 1', False),
        ("judge.py", "x = 1  # why", False),
        ("judge.py", "x = 2", True),
        ("weights.toml", "x = 2", True),
        ("catalogue/softmax.py", "x = 2", False),
        ("grade.txt", "help", False),
        ("palette.toml", "x = 2", False),
    ],
)
def test_the_judge_counts_by_what_it_does(
    file: str, text: str, again: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    there = SimpleNamespace(folders=(tmp_path,), catalogue=tmp_path / "catalogue")
    monkeypatch.setattr(versions, "course", lambda: there)
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("x = 1")
    before = versions._judge.__wrapped__()
    (tmp_path / file).write_text(text)
    assert (versions._judge.__wrapped__() != before) == again
