"""What the grader makes of notebooks and of their files; the odd ones are in battery/."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from notebook_judge.checks.exercise import Check
from notebook_judge.grading import grader
from notebook_judge.grading.grader import grade_notebook
from tests.grading.tiny_course import IMPORTS, RIGHT, Grade, save, statuses

PASSED = dict.fromkeys(RIGHT, "passed")


def test_a_notebook_is_only_read(tiny: None, tmp_path: Path) -> None:
    path = save(tmp_path / "../a name of" / "../odd  [bold] kind.ipynb", [IMPORTS, *RIGHT.values()])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    os.utime(path, (1, 1))
    before = path.read_bytes()
    path.chmod(0o400)
    result = grade_notebook(path, "odd", 5)
    assert {e.exercise.removeprefix("tiny."): e.status for e in result.exercises} == PASSED
    assert (result.points, result.max_points, result.lesson) == (10, 10, "99_tiny")
    assert (path.read_bytes(), path.stat().st_mtime) == (before, 1)


def test_the_code_of_an_answer_is_the_cell_that_defines_it_last(grade_cells: Grade) -> None:
    last = "def double(x):\n    # <b>\n    return 2 * x"
    results = grade_cells(
        "def double(x):\n    return 3 * x", last + "\n" * 10_000, "double = double\ntotal = '\x1b'"
    )
    assert results["double"].code == last
    assert results["total"].code == "double = double\ntotal = '\ufffd'"
    assert results["weights"].code == ""


def test_each_wrong_answer_gets_its_own_verdict(grade_cells: Grade) -> None:
    results = grade_cells(
        "def double(x):\n    return 2 * x * x",
        "def total(x):\n    raise ValueError('[red]no\\x1b[31m\\nsecond line')",
        "def weights(x):\n    return torch.softmax(x, -1)",
        "def ends(x):\n    x.zero_()\n    return x.amin(-1), x.amax(-1)",
    )
    assert statuses(results) == {
        "double": "wrong",
        "total": "error",
        "weights": "not allowed",
        "ends": "wrong",
    }
    assert results["double"].slip == "squared"
    assert results["double"].headline == "it is squared"
    assert "two rows" in results["double"].counterexample
    assert "[red]no" in results["total"].headline
    assert "\x1b" not in results["total"].headline
    assert all(result.points == 0 for result in results.values())
    assert results["double"].code == "def double(x):\n    return 2 * x * x"


def test_the_references_are_out_of_reach(grade_cells: Grade) -> None:
    modules = (
        *("transformer_checks", "transformer_checks.catalogue.training"),
        *("notebook_judge.catalogue", "notebook_judge.checks.judge"),
        "notebook_judge.learning.notebook",
    )
    assert all(find_spec(name) for name in modules), "else nothing is tried"
    results = grade_cells(
        "reached = [n for n, m in sys.modules.items() if m and 'catalogue' in n]\n"
        f"for name in {modules}:\n"
        "    try:\n        __import__(name)\n"
        "        reached.append(name)\n    except ImportError:\n        pass",
        "if not reached:\n    def double(x):\n        return 2 * x",
        "if os.getcwd() == os.environ['HOME'] and os.listdir() == ['.ipython']:\n"
        "    def total(x):\n        return x.sum(-1)",
        "if torch.get_num_threads() == 1:\n    def ends(x):\n        return x.amin(-1), x.amax(-1)",
        "for descriptor in range(3, 20):\n"
        "    try:\n        os.write(descriptor, b'forged\\n')\n    except OSError:\n        pass",
        RIGHT["weights"],
    )
    # The cell that wrote into the connection cost a worker, and nothing else.
    assert statuses(results) == PASSED


def test_a_fault_of_the_judge_costs_its_exercise_alone(
    grade_cells: Grade, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = grader.judge

    def judge(check: Check, *rest: Any) -> Any:
        if check.answer == "total":
            raise ZeroDivisionError("in the judge")
        return real(check, *rest)

    monkeypatch.setattr(grader, "judge", judge)
    results = grade_cells(*RIGHT.values())
    assert statuses(results) == PASSED | {"total": "error"}
    assert "ZeroDivisionError('in the judge')" in results["total"].headline


def test_the_solution_that_stands_in_cannot_be_shown(grade_cells: Grade) -> None:
    """An answer that is wrong in itself says the same whether or not it met a solution."""
    results = grade_cells(
        "def double(x):\n    return 3 * x",
        "def total(x):\n    return double(x).sum(-1)",
        RIGHT["weights"],
        RIGHT["ends"],
    )
    assert results["total"].status == "wrong"
    # Three times the sum, as the answers stand; with the solution it would be twice the sum.
    assert "got      total = [-4.946" in results["total"].counterexample
