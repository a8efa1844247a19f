"""Notebooks as learners hand them in: right, wrong, broken, and up to no good."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.grading.tiny_course import CALM, IMPORTS, QUICK, RIGHT, TIGHT, Grade, save, statuses
from transformer_checks.checks.cases import Outcome
from transformer_checks.checks.exercise import Check
from transformer_checks.grading import grader
from transformer_checks.grading.grader import grade_notebook
from transformer_checks.grading.limits import Limits
from transformer_checks.grading.sandbox import protocol

PASSED = dict.fromkeys(RIGHT, "passed")
LIMITS = {"calm": CALM, "quick": QUICK, "tight": TIGHT, "cpu": Limits(cpu=1)}
STORED = tomllib.loads(Path(__file__).with_name("submissions.toml").read_text("utf-8"))
OUTCOME = json.dumps(protocol.pack_outcome(Outcome()))
FORGE = STORED["texts"]["FORGE"].replace("@OUTCOME@", OUTCOME)
TEXTS = RIGHT | STORED["texts"] | {"FORGE": FORGE}


def cells_of(one: Mapping[str, Any]) -> list[str]:
    """The cells of a stored notebook, with the texts in their places."""
    return [re.sub(r"@(\w+)@", lambda found: TEXTS[found[1]], cell) for cell in one["cells"]]


def stored(kind: str) -> pytest.MarkDecorator:
    """Make a test of each stored notebook of a kind."""
    return pytest.mark.parametrize("one", STORED[kind], ids=lambda one: one["name"])


@stored("notebook")
def test_each_exercise_gets_its_verdict(grade_cells: Grade, one: dict[str, Any]) -> None:
    results = grade_cells(*cells_of(one), limits=LIMITS[one.get("limits", "calm")])
    assert statuses(results) == PASSED | one["gets"]
    for answer, says in one.get("says", {}).items():
        assert says in results[answer].headline
    for result in results.values():
        assert result.slip == ""
        earns = result.status in ("passed", "follows")
        assert result.points == (result.max_points if earns else 0)


@stored("banned")
def test_what_is_banned_earns_nothing(grade_cells: Grade, one: dict[str, Any]) -> None:
    """In the second worker, whatever hides it from the watch."""
    result = grade_cells(*cells_of(one))["weights"]
    assert (result.points, "the grader failed" in result.headline) == (0, False)


def test_what_is_not_banned_is_as_it_was(grade_cells: Grade) -> None:
    banned = RIGHT["weights"].replace("weights", "banned")
    for cells in ([RIGHT["weights"]], [banned, TEXTS["SERVED"], TEXTS["ASKED"]]):
        assert grade_cells(*cells)["weights"].status == "passed"


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
    modules = ("catalogue", "catalogue.training", "checks.judge", "learning.notebook")
    assert all(find_spec(f"transformer_checks.{name}") for name in modules), "else nothing is tried"
    results = grade_cells(
        "reached = [n for n, m in sys.modules.items() if m and 'catalogue' in n]\n"
        f"for name in {modules}:\n"
        "    try:\n        __import__('transformer_checks.' + name)\n"
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


@pytest.mark.parametrize("forgery", STORED["forgeries"].values(), ids=STORED["forgeries"])
def test_a_forged_reply_costs_its_own_exercise(grade_cells: Grade, forgery: str) -> None:
    results = grade_cells(
        FORGE, f"def double(x):\n    {forgery}\n    return 2 * x", *list(RIGHT.values())[1:]
    )
    assert statuses(results) == PASSED | {"double": "crashed"}
    assert "the connection to the grader" in results["double"].headline or (
        "ended the process with exit code" in results["double"].headline
    )


@pytest.mark.parametrize(
    "deed", ["send('no reply\\n')", "send('{')", "os._exit(3)", "os.kill(os.getpid(), 19)"]
)
def test_what_follows_a_forged_reply_costs_its_own_exercise(grade_cells: Grade, deed: str) -> None:
    results = grade_cells(
        FORGE,
        f"def double(x):\n    forge({{}}, 100, error='forged')\n    {deed}\n    return 2 * x",
        *list(RIGHT.values())[1:],
        limits=QUICK,
    )
    assert statuses(results) == PASSED | {"double": "crashed"}


def test_a_reply_that_a_cell_forges_costs_no_other_cell(grade_cells: Grade) -> None:
    results = grade_cells(
        FORGE,
        "reply({'error': '', 'late': False})\n" + RIGHT["double"],
        *list(RIGHT.values())[1:3],
        "while True: pass\n" + RIGHT["ends"],
        limits=QUICK,
    )
    ended = results["ends"].status
    assert ended in ("timeout", "crashed")  # as the machine had time for the cell, or not
    assert statuses(results) == PASSED | {"ends": ended}


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
