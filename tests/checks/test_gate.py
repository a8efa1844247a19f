"""The author's gate: what it lets pass, and what it holds up."""

from dataclasses import replace

import pytest
import torch
from torch import Generator, Tensor

from authoring import gate
from authoring.gate import Answers, Failure, examine, incomplete, lines, main
from authoring.wrappings import wrapped
from notebook_judge.checks.calls import call
from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check, Repair, Slip
from notebook_judge.checks.judge import judge
from notebook_judge.checks.solutions import Solution
from tests.fixtures import Capture, Patch


def draw(generator: Generator) -> list[Case]:
    return [
        Case(f"{size} numbers", {"x": torch.randn(size, generator=generator)}) for size in (3, 5)
    ]


def slip(name: str, after: str) -> Slip:
    """The solution with something else in the place of ``2 * x``."""
    return Slip(name, {"2 * x": after}, f"{name}: the numbers are wrong", "Try once more.")


def twice(x: Tensor) -> Tensor:
    return 2 * x


def stub(x: Tensor) -> Tensor:
    raise NotImplementedError


def test_before_its_answer_is_derived_an_exercise_is_told_how(
    monkeypatch: Patch, capsys: Capture
) -> None:
    new = replace(gate.CHECKS["attention.softmax"], name="attention.new")
    monkeypatch.setitem(gate.CHECKS, "attention.softmax", new)
    with pytest.raises(SystemExit, match="2"):
        main(["attention.softmax"])
    assert "no section 'attention.new'" in (said := capsys.readouterr().err)
    assert "run `make exercises`" in said


DOUBLE = Check(
    name="numbers.double",
    lesson="00_numbers",
    title="Double",
    answer="double",
    returns=("doubled",),
    points=1,
    difficulty=1,
    importance=1,
    minutes=1,
    draw=draw,
    slips=tuple(slip(f"times {n}", f"{n} * x") for n in (3, 4, 5, 6, 7)),
    hints=("Add it to itself.", "Or multiply by 2."),
    solution=Solution("numbers.double", "double", "def double(x):\n    return 2 * x\n"),
)
GOOD = Answers(stub, twice, (lambda x: x + x,))
WAYS = len(list(wrapped(DOUBLE, twice, DOUBLE.cases(0))))


def kinds(check: Check, answers: Answers, seed: int = 0) -> list[tuple[str, str]]:
    found = examine(check, answers, seed).failures
    return [(failure.kind, failure.answer) for failure in found]


def test_a_good_exercise_has_no_failures() -> None:
    found = examine(DOUBLE, GOOD, seed=0)
    assert not found.failures
    assert found.counts == {"right": 1 + 2 * (1 + WAYS), "wrong": 5, "named": 5}
    assert not list(incomplete(DOUBLE, GOOD))
    # With further seeds, only what depends on numbers.
    assert examine(DOUBLE, GOOD, seed=1, wrong_too=False).counts == {"right": 1 + 2 * 2}


def test_a_right_answer_that_is_refused() -> None:
    def thrice(x: Tensor) -> Tensor:
        return 3 * x

    for answers, name in (
        (replace(GOOD, solution=thrice), "the solution"),
        (replace(GOOD, styles=(twice, thrice)), "style thrice"),
    ):
        first, *others = kinds(DOUBLE, answers)
        assert first == ("false reject", name)
        assert ("false reject", f"{name}, in rows") in others
        assert len(others) == WAYS


def test_a_wrong_answer_that_passes() -> None:
    check = replace(DOUBLE, slips=(slip("noise", "2.0001 * x"),))
    assert kinds(check, GOOD) == [("false accept", "noise")]


def test_a_wrong_answer_under_another_name() -> None:
    same = (slip("times 3", "3 * x"), slip("three times", "x + x + x"))
    assert kinds(replace(DOUBLE, slips=same), GOOD) == [("not named", "three times")]


def test_a_check_that_cannot_judge() -> None:
    broken = Solution("numbers.double", "double", "def double(x):\n    return x.nothing\n")
    check = replace(DOUBLE, solution=broken, slips=())
    assert {kind for kind, _ in kinds(check, GOOD)} == {"no verdict"}


def test_an_edit_that_no_longer_fits_is_the_authors_business_alone() -> None:
    gone = replace(slip("gone", "x"), edits={"2 * y": "x"})
    torn = slip("torn", "(")  # fits, and is no Python
    check = replace(DOUBLE, slips=(gone, torn, slip("times 3", "3 * x")))
    assert kinds(check, GOOD) == [("no verdict", "gone"), ("no verdict", "torn")]
    cases = check.cases(0)
    thrice = [call(lambda x: x + x + x, case, check.returns) for case in cases]
    assert judge(check, cases, thrice).slip == "times 3"
    unfit = replace(check, repairs=(Repair("it is doubled", {"3 * y": "2 * y"}),))
    assert judge(unfit, cases, thrice).slip == "times 3"
    assert "a repair does not fit what is handed out" in {
        f.message for f in incomplete(unfit, GOOD)
    }


def test_a_handout_that_is_answered_or_broken() -> None:
    assert kinds(DOUBLE, replace(GOOD, shipped=twice)) == [("false accept", "what is shipped")]
    broken = replace(GOOD, shipped=lambda x: x.nothing)
    assert kinds(DOUBLE, broken) == [("incomplete", "what is shipped")]
    assert kinds(DOUBLE, broken, seed=1) == []


def test_what_is_missing_is_named() -> None:
    check = replace(DOUBLE, slips=(slip("one", "x"), slip("one", "x")), hints=("One.",))
    found = [failure.message for failure in incomplete(check, Answers(None, None, ()))]
    assert found == [
        "exercises/00_numbers.ipynb has no `double`",
        "solutions/00_numbers.ipynb has no `double`",
        "it has 0 styles",
        "it has 2 slips",
        "slips of one name: one",
        "it has 1 hints",
    ]


def test_failures_of_several_seeds_are_one_line() -> None:
    found = [
        Failure("a.b", "false reject", "style loops", seed, f"wrong {seed}") for seed in (0, 4)
    ]
    found.append(Failure("a.b", "incomplete", "", None, "it has 1 hints"))
    assert list(lines(found)) == [
        "false reject: a.b, style loops, seed 0, 4: wrong 0",
        "incomplete: a.b: it has 1 hints",
    ]


def test_the_command_prints_a_table_and_fails_where_something_is_amiss(
    capsys: Capture, monkeypatch: Patch
) -> None:
    def examined(name: str, seed: int, wrong_too: bool) -> gate.Findings:
        found = examine(DOUBLE, GOOD, seed, wrong_too=wrong_too)
        if name == "heads.merge":
            found.failures.append(Failure(name, "not named", "times 3", seed, "another name"))
        return found

    monkeypatch.setattr(
        gate,
        "examine_all",
        lambda names, seeds, named, jobs: ((name, examined(name, 0, True)) for name in names),
    )
    assert main(["heads.split"]) == 0
    assert "100.0%" in capsys.readouterr().out
    assert main(["heads.merge"]) == 1
    assert "not named: heads.merge, times 3, seed 0: another name" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["no.such.exercise"])
