"""Grade with the tiny course in the place of the real one."""

from pathlib import Path

import pytest

from notebook_judge.catalogue import catalogue
from notebook_judge.checks.card import cell_id
from notebook_judge.grading import pool
from notebook_judge.grading.grader import grade_notebook
from notebook_judge.grading.limits import Limits
from notebook_judge.grading.results import ExerciseResult
from notebook_judge.grading.sandbox import isolation
from notebook_judge.grading.sandbox.isolation import Isolation
from tests.grading.fakes import fake_grading
from tests.grading.inside import isolation_or_skip
from tests.grading.tiny_course import CALM, IMPORTS, TINY, Grade, save


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the course's catalogue by the tiny one."""
    checks, read = {check.name: check for check in TINY}, catalogue()
    monkeypatch.setattr(read, "checks", checks)
    monkeypatch.setattr(read, "lessons", {TINY[0].lesson: tuple(checks)})
    monkeypatch.setattr(read, "lesson_of", dict.fromkeys(checks, TINY[0].lesson))
    monkeypatch.setattr(read, "by_cell_id", {cell_id(name): name for name in checks})


@pytest.fixture(params=["root namespaces", "user namespaces", "limits"])
def any_isolation(request: pytest.FixtureRequest) -> Isolation:
    return isolation_or_skip(request.param)


@pytest.fixture
def faked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grade nothing, in no isolation; the names of what would have been graded."""
    graded: list[str] = []
    monkeypatch.setattr(pool, "grade_notebook", fake_grading(graded))
    monkeypatch.setattr(isolation, "_as_superuser", lambda: False)
    return graded


@pytest.fixture
def grade_cells(tiny: None, tmp_path: Path) -> Grade:
    """Grade a notebook of the tiny course with these cells; results by the answer's name."""

    def graded(
        *cells: str, limits: Limits = CALM, isolation: Isolation | None = None
    ) -> dict[str, ExerciseResult]:
        path = save(tmp_path / "cells.ipynb", (IMPORTS, *cells))
        result = grade_notebook(path, "cells", 5, limits, isolation=isolation)
        assert (result.status, result.reason) == ("graded", "")
        return {e.exercise.removeprefix("tiny."): e for e in result.exercises}

    return graded
