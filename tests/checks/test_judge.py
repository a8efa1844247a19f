"""The judge names the first thing that is wrong, and accepts right answers in any style."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from notebook_judge.checks.calls import call_all
from notebook_judge.checks.judge import Judgement, judge
from transformer_checks.catalogue import find


def scaled(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.mT / query.shape[-1] ** 0.5


def verdict(name: str, answer: Callable[..., Any], seed: int = 0) -> Judgement:
    check = find(name)
    cases = check.cases(seed)
    outcomes = call_all(check, answer, cases)
    return judge(check, cases[: len(outcomes)], outcomes)


def test_an_unanswered_exercise() -> None:
    def stub(*_: object) -> None:
        raise NotImplementedError

    found = verdict("attention.attend", stub)
    assert (found.status, found.points) == ("not attempted", 0)
    assert found.headline == "not yet: `attend` is still empty"


def test_nothing_returned_in_one_case_alone_is_no_missing_return() -> None:
    found = verdict(
        "attention.causal_mask", lambda q, k: torch.ones(q, k).bool().tril() if q == k else None
    )
    assert (found.status, found.points) == ("wrong", 0)
    assert found.headline == "`causal_mask` returned None with 2 queries, 4 keys"


def test_a_gradient_that_is_cut_off_in_part_is_named() -> None:
    def attend(query: Tensor, key: Tensor, value: Tensor) -> tuple:
        weights = (query @ key.mT / math.sqrt(query.shape[-1])).softmax(-1)
        return weights @ value.detach(), weights

    found = verdict("attention.attend", attend)
    assert found.headline == "the gradient of `value` is 0 everywhere"


def test_a_gradient_that_is_a_hundredth_too_large_is_wrong() -> None:
    def attend(query: Tensor, key: Tensor, value: Tensor) -> tuple:
        weights = (query @ key.mT / math.sqrt(query.shape[-1])).softmax(-1)
        return weights @ (value + 0.01 * (value - value.detach())), weights

    found = verdict("attention.attend", attend)
    assert found.status == "wrong" and "gradient of `value`" in found.headline


def softmax_that(setting: Callable[[], object]) -> Callable[[Tensor], Tensor]:
    """A right answer that also sets something."""

    def softmax(scores: Tensor) -> Tensor:
        setting()
        numbers = (scores - scores.amax(-1, keepdim=True)).exp()
        return numbers / numbers.sum(-1, keepdim=True)

    return softmax


def test_a_setting_that_is_left_changed_is_told() -> None:
    found = verdict(
        "attention.softmax", softmax_that(lambda: torch.set_default_dtype(torch.float64))
    )
    assert (found.status, found.slip) == ("wrong", "leaves something behind")
    assert "sets the default dtype of all tensors to come" in found.headline


def test_a_seed_that_is_set_costs_nothing_and_is_remarked() -> None:
    found = verdict("attention.softmax", softmax_that(lambda: torch.manual_seed(0)))
    assert (found.status, found.points) == ("passed", find("attention.softmax").points)
    assert found.headline == (
        "the values are right; but `softmax` sets the seed of all random numbers to come"
    )


def test_a_shortcut_is_not_allowed() -> None:
    found = verdict("attention.softmax", lambda s: s.softmax(-1))
    assert (found.status, found.headline) == ("not allowed", "`softmax` calls PyTorch's softmax")


def test_the_counterexample_shows_inputs_expected_and_got() -> None:
    found = verdict("attention.scores", lambda q, k: q @ k.mT)
    shown = ("query = [[", "key = [[", "expected scores = [[", "got      scores = [[", "[0, 0]")
    for words in shown:
        assert words in found.counterexample


@pytest.mark.parametrize(
    ("name", "answer", "headline"),
    [
        (
            "attention.scores",
            lambda q, k: 3 * scaled(q, k),
            "`scores` is 3 times what it should be",
        ),
        ("attention.scores", lambda q, k: scaled(q, k) / q.shape[-1], "be: 1/(query.shape[-1])"),
        ("attention.scores", lambda q, k: (q @ k.mT)[..., :1], "has shape (2, 1); expected (2, 3)"),
        ("attention.scores", lambda q, k: q @ k.mT * math.nan, "`scores` holds NaN"),
        ("attention.softmax", lambda s: s.exp() / 7, "sums to"),
        ("attention.causal_mask", lambda q, k: torch.rand(q, k) < 2, "sees every key"),
        ("attention.causal_mask", lambda q, k: torch.zeros(q, k).bool(), "in 6 places too many"),
        ("attention.causal_mask", lambda q, k: torch.zeros(q, k).long(), "dtype torch.int64"),
        ("attention.padding_mask", lambda t, p: (t > 5)[:, None, None, :], "places too many"),
        ("attention.padding_mask", lambda t, p: (t != p).flatten(), "has shape (6,)"),
    ],
)
def test_a_slip_that_nobody_foresaw_is_described(
    name: str, answer: Callable[..., Any], headline: str
) -> None:
    found = verdict(name, answer)
    assert headline in found.headline
    assert found.points == 0
    assert found.lead


@pytest.mark.parametrize("divisor", [7.0, 0.5, 3.0])
def test_the_divisor_of_the_scores_is_found(divisor: float) -> None:
    def attend(query: Tensor, key: Tensor, value: Tensor) -> tuple:
        weights = (query @ key.mT / divisor).softmax(-1)
        return weights @ value, weights

    found = verdict("attention.attend", attend)
    assert f"the scores are divided by {divisor:.3g}; expected 2 = √d_head" in found.headline


def test_a_leak_behind_the_mask_is_named() -> None:
    def leaks(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> tuple:
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        weights = scores.masked_fill(~mask, -3.0).softmax(-1)
        return weights @ value, weights

    found = verdict("attention.masked", leaks)
    assert (found.status, found.slip) == ("wrong", "")
    assert "a masked pair still has weight" in found.headline
    assert "expected weights = " in found.counterexample
