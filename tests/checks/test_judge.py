"""The judge names the first thing that is wrong, and accepts right answers in any style."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from transformer_checks.catalogue import find
from transformer_checks.checks.calls import call_all
from transformer_checks.checks.judge import Judgement, judge


def verdict(name: str, answer: Callable[..., Any], seed: int = 0) -> Judgement:
    check = find(name)
    cases = check.cases(seed)
    outcomes = call_all(check, answer, cases)
    return judge(check, cases[: len(outcomes)], outcomes)


def softmax_in_loops(scores: Tensor) -> Tensor:
    rows = []
    for row in scores.reshape(-1, scores.shape[-1]).tolist():
        exponentials = [math.exp(score - max(row)) for score in row]
        rows.append([e / sum(exponentials) for e in exponentials])
    return torch.tensor(rows).view(scores.shape)


def softmax_in_numpy(scores: Tensor, axis: int = -1) -> np.ndarray:
    array = scores.numpy()
    exponentials = np.exp(array - array.max(axis, keepdims=True))
    return exponentials / exponentials.sum(axis, keepdims=True)


class AttendsByEinsum:
    def __call__(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        scores = torch.einsum("...id,...jd->...ij", query.double(), key.double())
        weights = (scores * query.shape[-1] ** -0.5).softmax(-1)
        return [torch.einsum("...ij,...jv->...iv", weights, value.double()), weights]


def masked_with_infinity(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> tuple:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.where(mask, scores, -torch.inf).softmax(-1).nan_to_num(0.0)
    return weights @ value, weights


def masked_twice(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> tuple:
    scores = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~mask, -1e9)
    weights = scores.softmax(-1) * mask
    return weights @ value, weights


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("attention.softmax", softmax_in_loops),
        ("attention.softmax", softmax_in_numpy),
        ("attention.softmax", lambda s: (s - s.logsumexp(-1, keepdim=True)).exp()),
        (
            "attention.scores",
            lambda q, k: torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5,
        ),
        ("attention.scores", lambda q, k: (q / q.shape[-1] ** 0.25) @ (k / q.shape[-1] ** 0.25).mT),
        ("attention.attend", AttendsByEinsum()),
        ("attention.causal_mask", lambda q, k: torch.ones(q, k, dtype=torch.bool).tril(k - q)),
        (
            "attention.causal_mask",
            lambda q, k: [[j <= i + k - q for j in range(k)] for i in range(q)],
        ),
        ("attention.padding_mask", lambda t, p: ~(t == p).unsqueeze(1).unsqueeze(2)),
        ("attention.masked", masked_with_infinity),
        ("attention.masked", masked_twice),
    ],
)
@pytest.mark.parametrize("seed", [0, 7])
def test_right_answers_in_other_styles_pass(
    name: str, answer: Callable[..., Any], seed: int
) -> None:
    found = verdict(name, answer, seed)
    assert found.passed, found.headline


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


def test_a_setting_that_is_left_changed_is_told() -> None:
    def softmax(scores: torch.Tensor) -> torch.Tensor:
        torch.manual_seed(0)
        numbers = (scores - scores.amax(-1, keepdim=True)).exp()
        return numbers / numbers.sum(-1, keepdim=True)

    found = verdict("attention.softmax", softmax)
    assert (found.status, found.slip) == ("wrong", "leaves something behind")
    assert "sets the seed of all random numbers to come" in found.headline


def test_a_shortcut_is_not_allowed() -> None:
    found = verdict("attention.softmax", lambda s: s.softmax(-1))
    assert (found.status, found.headline) == ("not allowed", "`softmax` calls PyTorch's softmax")


def test_a_write_into_the_input_is_named() -> None:
    def in_place(scores: Tensor) -> Tensor:
        scores -= scores.amax(-1, keepdim=True)
        return scores.exp() / scores.exp().sum(-1, keepdim=True)

    found = verdict("attention.softmax", in_place)
    assert found.headline == "`softmax` changed its input `scores` in place"


def test_the_counterexample_shows_inputs_expected_and_got() -> None:
    found = verdict("attention.scores", lambda q, k: q @ k.mT)
    for words in (
        "query = [[",
        "key = [[",
        "expected scores = [[",
        "got      scores = [[",
        "[0, 0]",
    ):
        assert words in found.counterexample


@pytest.mark.parametrize(
    ("name", "answer", "headline"),
    [
        (
            "attention.scores",
            lambda q, k: 3 * q @ k.mT / q.shape[-1] ** 0.5,
            "`scores` is 3 times what it should be",
        ),
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


def test_a_factor_is_traced_to_a_size() -> None:
    found = verdict("attention.scores", lambda q, k: q @ k.mT / q.shape[-1] ** 1.5)
    assert "0.25 times what it should be: 1/(query.shape[-1])" in found.headline


def test_a_factor_that_only_happens_to_be_a_size_is_not_called_one() -> None:
    found = verdict("attention.scores", lambda q, k: 3 * q @ k.mT / q.shape[-1] ** 0.5)
    assert found.headline == "`scores` is 3 times what it should be"


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


def test_two_slips_at_once_are_still_wrong() -> None:
    found = verdict(
        "attention.attend", lambda q, k, v: ((q @ k.mT).softmax(-2) @ v, (q @ k.mT).softmax(-2))
    )
    assert found.status == "wrong"
