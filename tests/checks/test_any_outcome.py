"""The judge gives a verdict on whatever comes back, honest or forged."""

from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

from notebook_judge.checks.cases import Outcome
from notebook_judge.checks.judge import judge
from notebook_judge.checks.reference import reference
from transformer_checks.catalogue import CHECKS

NAMES = ("attention.attend", "attention.causal_mask", "heads.module", "flash.tiled_forward")
OPEN = "translation.beat"
DTYPES = (torch.float32, torch.float64, torch.float16, torch.int64, torch.bool, torch.uint8)
SHAPES = ((), (0,), (1,), (3,), (2, 3), (2, 3, 4), (0, 2**40), (2, 3, 5, 7))


SELDOM = st.sampled_from([False] * 5 + [True])


def tensors(like: list[Tensor]) -> st.SearchStrategy[Tensor]:
    """Any tensor, and above all those that look right."""
    near = st.sampled_from(like) if like else st.nothing()
    kinds = st.tuples(st.sampled_from(SHAPES), st.sampled_from(DTYPES))
    odd = st.sampled_from([float("nan"), float("inf"), -1e30])
    return st.one_of(
        near,
        near.map(lambda right: right + 1 if right.dtype != torch.bool else ~right),
        kinds.map(lambda kind: torch.zeros(kind[0], dtype=kind[1])),
        st.tuples(near, odd).map(lambda pair: torch.full(pair[0].shape, pair[1])),
    )


def outcomes(expected: Outcome) -> st.SearchStrategy[Outcome]:
    names = st.sampled_from([*expected.values, "gradient of nothing", ""])
    like = list(expected.values.values())
    right = st.fixed_dictionaries({name: tensors(like) for name in expected.values})
    return st.builds(
        Outcome,
        values=st.one_of(right, st.dictionaries(names, tensors(like), max_size=3)),
        error=st.sampled_from(["", "", "ValueError: no"]),
        unanswered=SELDOM,
        unsteady=SELDOM,
        timed_out=SELDOM,
        changed=st.sampled_from([(), (), ("query",)]),
        shortcuts=st.sampled_from([(), (), (), ("PyTorch's softmax",)]),
        too_much=st.sampled_from(["", "", "a lot"]),
        leaves=st.sampled_from(["", "", "sets the seed"]),
    )


@pytest.mark.parametrize("name", [*NAMES, OPEN])
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_there_is_always_a_verdict(name: str, data: Any) -> None:
    check = CHECKS[name]
    cases = check.cases(0)[:4]
    expected = [reference(check, case) for case in cases]
    given_back = [data.draw(outcomes(one)) for one in expected]
    verdict = judge(check, cases, given_back)
    assert verdict.status in ("passed", "wrong", "error", "timeout", "not allowed", "not attempted")
    assert 0 <= verdict.points <= check.points
    assert verdict.passed or verdict.headline


def test_wrong_once_and_then_no_result_is_wrong() -> None:
    check = CHECKS["attention.attend"]
    cases = check.cases(0)[:2]
    query, key, value = cases[0].inputs.values()
    assert isinstance(query, Tensor) and isinstance(key, Tensor) and isinstance(value, Tensor)
    weights = (query @ key.mT).softmax(-1)
    first = Outcome(values={"output": weights @ value, "weights": weights})
    verdict = judge(check, cases, [first, Outcome(timed_out=True)])
    assert verdict.status == "wrong"


@pytest.mark.parametrize(
    ("outcome", "told"),
    [(Outcome(error="ValueError: no", too_much="a lot"), "ValueError: no"),
     (Outcome(), "it gave no values")],
)  # fmt: skip
def test_no_values_are_an_error(outcome: Outcome, told: str) -> None:
    check = CHECKS["flash.tiled_forward"]
    case = next(case for case in check.cases(0) if case.most_numbers)
    verdict = judge(check, [case], [outcome])
    assert (verdict.status, verdict.headline) == ("error", told)
