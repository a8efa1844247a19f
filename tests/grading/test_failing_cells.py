"""Of a cell that raises what can be run is run, the given stands in, the page says what failed."""

import ast
import json
from io import StringIO
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from rich.console import Console

from notebook_judge.checks.solutions import given
from notebook_judge.grading import notebook_session
from notebook_judge.grading.grader import grade_notebook
from notebook_judge.grading.reports import formats, pages, terminal
from notebook_judge.grading.sandbox.going_on import GoingOn
from tests.fixtures import Patch
from tests.grading.tiny_course import RIGHT, Grade, save, statuses
from transformer_checks import catalogue

PASSED = dict.fromkeys(RIGHT, "passed")
# What may fail above an answer, in the cell of imports or in the answer's own.
LINES = (
    "from no_such_module import rearrange",
    "import math, no_such_module, json",
    "import google.colab as colab\ncolab.drive.mount('/content')",
    "import matplotlib\nmatplotlib.use('TkAgg')",
    "!pip install no_such_module\nimport no_such_module",
    "%pip install no_such_module\n%matplotlib widget\nimport no_such_module",
    "table = open('table.csv').read()",
    "number = int(input('How many? '))",
    "display(a_name_of_nobody)",
    "assert 1 == 2, 'mine'",
    "%%time\nimport no_such_module",
    "%%capture out\nimport no_such_module",
)


def shell_after(*cells: str) -> dict[str, object]:
    shell = InteractiveShell()
    GoingOn(shell)
    with capture_output():
        for cell in cells:
            shell.run_cell(cell)
    return dict(shell.user_ns)


@pytest.mark.parametrize("line", [line for line in LINES if "pip" not in line])
def test_what_stands_below_it_is_run(line: str) -> None:
    names = shell_after(f"{line}\nimport json as j, no_such, math as m\ndef f():\n    return m.pi")
    assert names["j"] and names["f"]() == names["m"].pi  # type: ignore[operator, attr-defined]


def test_what_the_learner_stops_is_not_made_anew() -> None:
    before = "def f():\n    return 1\n"
    again = "\ndef f():\n    return 2\ndef g():\n    return 3"
    for stop in ("assert False", "raise ValueError", "nobody"):
        names = shell_after(f"{before}{stop}{again}")
        assert (names["f"](), names["g"]()) == (1, 3)  # type: ignore[operator]
    assert shell_after(f"{before}import no_such{again}")["f"]() == 2  # type: ignore[operator]
    assert "g" not in shell_after(f"{before}raise SystemExit{again}")


def test_the_first_error_of_a_cell_is_the_one_that_is_told() -> None:
    shell = InteractiveShell()
    GoingOn(shell)
    with capture_output():
        result = shell.run_cell("import no_such\n1 / 0\nx = 3")
    assert isinstance(result.error_in_exec, ModuleNotFoundError)


@pytest.mark.parametrize("at", [0, 4])
def test_a_line_that_fails_costs_no_answer(grade_cells: Grade, at: int) -> None:
    lines = LINES[at : at + 4]
    cells = [f"{line}\n{answer}" for line, answer in zip(lines, RIGHT.values(), strict=True)]
    assert statuses(grade_cells(*cells)) == PASSED


@pytest.mark.parametrize("broken", ["import torch.", "import no_such_module", None])
def test_the_given_stands_in(tiny: None, tmp_path: Path, monkeypatch: Patch, broken: str) -> None:
    monkeypatch.setattr(notebook_session, "given", lambda lesson: ("import torch as T",))
    answer = RIGHT["double"].replace("(x)", "(x: T.Tensor)")
    cells = [one for one in (broken, answer, *list(RIGHT.values())[1:]) if one]
    result = grade_notebook(save(tmp_path / "a.ipynb", cells), "a", 5)
    assert {one.status for one in result.exercises} == {"passed"}
    assert bool(result.failed) == bool(broken)


def test_the_given_answers_nothing() -> None:
    """But for two kernels, whose answer is called through a given function."""
    for lesson in catalogue.LESSONS:
        trees = [ast.parse(source) for source in given(lesson)]
        defined = {getattr(node, "name", "") for tree in trees for node in tree.body}
        answers = {check.answer for check in catalogue.of_lesson(lesson)}
        kernels = {"online_softmax_rows", "attention_by_tiles"} if lesson[:2] == "09" else set()
        assert trees and defined & answers == kernels


def test_the_page_says_what_failed_first(tiny: None, tmp_path: Path) -> None:
    cells = [
        "import torch",
        "from no_such_module import rearrange",
        "def double(x):\n    return rearrange(x, 'a b -> a b') * 2",
        "def total(x):\n    import no_such_module\n    return x.sum(-1)",
        "Base = rearrange.Base\nclass weights(Base): pass",
        "1 / 0",
    ]
    result = grade_notebook(save(tmp_path / "a.ipynb", cells), "a", 5)
    absent = "the module `no_such_module`, which is not on the grading machine"
    absent += ": that sees the notebook alone"
    assert result.failed == f"the cell `from no_such_module import rearrange` needs {absent}"
    double, total, weights, _ = result.exercises
    assert double.lead == f"`rearrange` is missing because {result.failed}"
    assert total.lead == f"It needs {absent}"
    assert weights.lead == double.lead
    page = pages.notebook_page(result)
    head, _, rest = page.partition("<main")
    assert "The first thing that failed: the cell <code>from no_such_module" in head
    assert "not on the grading machine" in rest and "estart" not in page
    assert json.loads(formats.as_gradescope(result))["output"].endswith(result.first_failure)
    Console(width=1000, file=(told := StringIO())).print(terminal.notebook_table(result))
    assert result.first_failure in told.getvalue()
