"""The audit of conditions: it finds those that were left out, and no others."""

import pytest
import torch
from torch import Generator, Tensor

from authoring.audits.conditions import _met, _possible, findings
from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.solutions import Solution
from tests.grading.tiny_course import RIGHT

ALL: dict[str, Value] = {
    "rows": [[1, 2, 2], [3, 1, 500], [4, 4, 4]],
    "other": [[1, 2, 2], [3, 1, 500], [4, 4, 4]],
    "mask": torch.zeros(3, 3).bool(),
    "numbers": torch.randn(2, 3),
}
CASES: dict[str, dict[str, Value]] = {
    "three": ALL,
    "two": {"rows": [[1, 2], [2, 1]], "other": [[1], [2]], "mask": torch.ones(2, 2).bool(),
            "numbers": torch.randn(2, 4)},
    "one": {"rows": [[7]], "other": [[9], [5], [1, 1]], "mask": torch.tensor([[True]]),
            "numbers": torch.randn(2, 1)},
    "large": {"rows": [[1]] * 20, "other": [[9, 9]] * 20, "mask": torch.zeros(3, 3).bool()},
}  # fmt: skip


def found(*left_out: str) -> list[str]:
    """What is found where these cases are left out, of those that are about ``rows`` and masks."""

    def draw(_: Generator) -> list[Case]:
        cases = {label: inputs for label, inputs in CASES.items() if label not in left_out}
        return [
            Case(label, {n: v.clone() if isinstance(v, Tensor) else v for n, v in inputs.items()})
            for label, inputs in cases.items()
        ]

    check = Check(
        **dict.fromkeys(("points", "difficulty", "importance", "minutes"), 1),  # type: ignore[arg-type]
        name="tiny.double",
        lesson="01_tokens_and_embeddings",
        title="",
        answer="double",
        returns=("twice",),
        draw=draw,
        slips=(),
        solution=Solution("tiny.double", "double", RIGHT["double"]),
    )
    return [one.removesuffix(" in no case") for one in findings(check)]


@pytest.mark.parametrize(
    ("left_out", "words"),
    [
        ("two", {"mask.shape[-2] is 2", "len(rows) is 2"}),
        ("one", {"mask.shape[-2] is 1", "len(rows) is 1", "numbers.shape[-1] is 1"}),
        ("large", {"len(rows) is large"}),
        ("three", {"rows equals other", "rows has a large number"}),
    ],
)
def test_a_condition_that_no_case_meets_is_found(left_out: str, words: set[str]) -> None:
    assert not words & set(found())
    assert words <= set(found(left_out))
    assert "numbers.shape[-1] is 2" not in found(left_out)  # a width like any other
    assert "mask.shape[-1] is 2" not in found(left_out)  # the mask is square: told once


def test_a_head_of_width_1_is_a_condition() -> None:
    case = Case("heads of width 2", {"tokens": torch.ones(2, 6), "num_heads": 3})
    assert "a head is 1 wide" in set(_possible(case)) - set(_met(case))
    thin = Case("heads of width 1", {"tokens": torch.ones(2, 3), "num_heads": 3})
    assert "a head is 1 wide" in _met(thin)


def test_scores_that_are_all_masked_are_a_condition() -> None:
    case = Case("one of two masked", {"scores": torch.tensor([0.0, -torch.inf])})
    assert "scores is all -inf" in set(_possible(case)) - set(_met(case))


def test_a_notebook_that_does_not_say_what_no_input_is_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("authoring.audits.conditions.GENERAL", "Pigs may fly.")
    assert "its notebook does not say what no input is" in found()
