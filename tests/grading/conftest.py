"""Grade with the tiny course in the place of the real one."""

from pathlib import Path

import pytest

from tests.grading.fakes import fake_grading
from tests.grading.inside import isolation_or_skip
from tests.grading.tiny_course import CALM, IMPORTS, TINY, Grade, save
from transformer_checks import catalogue
from transformer_checks.checks.card import cell_id
from transformer_checks.grading import pool
from transformer_checks.grading.grader import grade_notebook
from transformer_checks.grading.limits import Limits
from transformer_checks.grading.results import ExerciseResult
from transformer_checks.grading.sandbox import isolation
from transformer_checks.grading.sandbox.isolation import Isolation


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the course's catalogue by the tiny one."""
    checks = {check.name: check for check in TINY}
    monkeypatch.setattr(catalogue, "CHECKS", checks)
    monkeypatch.setattr(catalogue, "LESSONS", {TINY[0].lesson: tuple(checks)})
    monkeypatch.setattr(catalogue, "LESSON_OF", dict.fromkeys(checks, TINY[0].lesson))
    monkeypatch.setattr(catalogue, "BY_CELL_ID", {cell_id(name): name for name in checks})


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
