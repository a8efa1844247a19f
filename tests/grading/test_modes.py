"""The grader says the same, whatever a notebook sets for a whole session, and so does ``check``."""

from pathlib import Path

import pytest

from notebook_judge.checks.calls import call_all
from notebook_judge.checks.judge import judge
from notebook_judge.grading.grader import grade_notebook
from notebook_judge.grading.results import ExerciseResult
from tests.grading.battery.submission import CALM, Build, answers, edited, first, solution
from tests.grading.runners import by_grader, by_nbval
from tests.learning.test_modes import ALONE, MODES, TOGETHER
from transformer_checks.catalogue import CHECKS, LESSONS, of_lesson

SEED = 5


def graded(build: Build, folder: Path) -> dict[str, ExerciseResult]:
    result = grade_notebook(build(folder), "modes", SEED, CALM)
    return {one.exercise: one for one in result.exercises}


@pytest.mark.parametrize(
    ("lesson", "modes"),
    [
        ("02_self_attention", TOGETHER),
        ("03_multi_head_attention", TOGETHER),
        *(("02_self_attention", [mode]) for mode in ALONE),
    ],
)
def test_verdicts_are_the_same_under_modes(lesson: str, modes: list[str], tmp_path: Path) -> None:
    wrong = of_lesson(lesson)[1]
    slip = wrong.slips[0]
    change = answers(**{wrong.answer: wrong.text.edited(slip.edits).text})
    cells = first(*(f"import torch\n{MODES[mode]}" for mode in modes))
    results = graded(edited(change, cells, lesson=lesson), tmp_path)
    assert results.pop(wrong.name).slip == slip.name
    assert {one.status for one in results.values()} <= {"passed", "follows"}


@pytest.mark.sampled(22)
@pytest.mark.parametrize("lesson", LESSONS)
@pytest.mark.parametrize("modes", [TOGETHER, *([mode] for mode in ALONE)])
def test_every_solution_passes_in_a_kernel_and_in_the_grader(
    modes: list[str], lesson: str, tmp_path: Path
) -> None:
    book = solution(lesson)
    first(*(f"import torch\n{MODES[mode]}" for mode in modes))(book)
    passed = by_nbval({"mine": book}, tmp_path / "nbval")["mine"]
    assert passed == by_grader(book, tmp_path) == set(LESSONS[lesson])


def test_a_seed_that_is_set_costs_nothing_in_either_tool(tmp_path: Path) -> None:
    check = CHECKS["attention.softmax"]
    text = check.text.text.replace('"""\n', '"""\n    torch.manual_seed(0)\n', 1)
    for before in ("pass", "import torch\ntorch.manual_seed(0)"):
        build = edited(answers(softmax=text), first(before))
        got = graded(build, tmp_path)[check.name]
        assert (got.status, got.points) == ("passed", check.points)
        assert "sets the seed of all random numbers to come" in got.headline

    names: dict = {}
    exec(f"import torch\nfrom torch import Tensor\n{text}", names)
    cases = check.cases(SEED)
    assert judge(check, cases, call_all(check, names["softmax"], cases)).headline == got.headline
