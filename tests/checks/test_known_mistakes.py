"""Wrong answers that once passed, or were told something untrue: none does on any seed."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

from notebook_judge.checks.calls import call, call_all
from notebook_judge.checks.cases import Outcome
from notebook_judge.checks.compare import right, same
from notebook_judge.checks.errors import in_words
from notebook_judge.checks.judge import Judgement, is_right, judge
from notebook_judge.checks.reference import outcome_of, reference
from notebook_judge.checks.solutions import Answer
from notebook_judge.learning.notebook import NotPassed, check
from tests.fixtures import Capture
from transformer_checks.catalogue import CHECKS, find

Edits = dict[str, str]
SEEDS = range(1, 9)
TABLES = tomllib.loads(Path(__file__).with_name("known_mistakes.toml").read_text("utf-8"))


def edits_of(*strings: str) -> Edits:
    return dict(zip(strings[::2], strings[1::2], strict=True))


WRONG = [(name, edits_of(*rest)) for name, *rest in TABLES["passed_once"]]
CALLED = [(name, edits_of(*rest), slip) for name, slip, *rest in TABLES["called"]]
TOLD = [(name, edits_of(*rest), says) for name, says, *rest in TABLES["told"]]


def verdict(name: str, answer: Answer, seed: int = 0) -> Judgement:
    check = find(name)
    cases = check.cases(seed)
    return judge(check, cases, [call(answer, case, check.returns) for case in cases])


@pytest.mark.parametrize(("name", "edits"), WRONG)
def test_it_passes_on_no_seed(name: str, edits: Edits) -> None:
    check = find(name)
    answer = check.text.edited(edits).run()
    for seed in SEEDS:
        cases = check.cases(seed)
        assert not all(is_right(check, c, call(answer, c, check.returns)) for c in cases), seed


@pytest.mark.parametrize(
    ("name", "edits", "slip"), [*CALLED, *((name, edits, None) for name, edits in WRONG[::4])]
)
def test_a_name_explains_every_case(name: str, edits: Edits, slip: str | None) -> None:
    check = find(name)
    answer, cases = check.text.edited(edits).run(), check.cases(0)
    outcomes = [call(answer, case, check.returns) for case in cases]
    found = judge(check, cases, outcomes)
    assert found.status in ("wrong", "error")
    assert slip is None or found.slip == slip
    named = next((one for one in check.slips if one.name == found.slip), None)
    for case, outcome in zip(cases, outcomes, strict=True):
        if named and not right(check, outcome, reference(check, case)):
            assert same(check, outcome_of(check, named, case), outcome)


def test_a_name_for_a_part_says_so() -> None:
    edits = {"<= position[:, None]": "<= position[:, None] + 3"}
    found = verdict("decoder.mask", find("decoder.mask").text.edited(edits).run())
    assert found.headline.startswith("in this case it looks as if ")


def test_two_mistakes_in_turn_get_both_names() -> None:
    edits = {"tril()": "tril(-1)", ".expand(batch, 1, length, length)": ""}
    found = verdict("bert.mask", find("bert.mask").text.edited(edits).run())
    assert re.match(
        r"in this case it looks as if .* one row for all queries.*; with the same two "
        r"texts, causal, as if .* itself: the first row is empty$",
        found.headline,
    )


@pytest.mark.parametrize("name", ["encoder.layer_norm", "encoder.rms_norm"])
def test_a_mean_over_tokens_is_shown_on_several(name: str) -> None:
    assert find(name).cases(0)[0].label.startswith("one token")
    found = verdict(name, find(name).text.edited({"dim=-1": "dim=-2"}).run())
    assert found.slip == "over the tokens"
    assert "with 2 tokens of width 4" in found.counterexample


@pytest.mark.parametrize("name", [check.name for check in CHECKS.values() if check.repairs])
def test_a_first_right_step_of_a_repair_looks_like_one(name: str) -> None:
    check = find(name)
    for mended in check.repairs:
        found = verdict(name, check.mended((mended,)))
        assert f"holds: {mended.holds}" in found.counterexample.splitlines()
        hidden = [one.holds for one in check.repairs if one is not mended]
        assert not any(
            one in f"{found.headline} {found.lead} {found.counterexample}" for one in hidden
        )
        left = f"{len(hidden)} of the {len(check.repairs)} mistakes"
        assert found.slip or found.headline.startswith(left)


def test_right_values_by_too_much_work_are_refused() -> None:
    check = find("decoder.repaired_generation")
    found = verdict(check.name, check.mended(check.repairs))
    assert found.slip == "everything computed anew"


def test_python_numbers_are_no_way_round_the_measurement() -> None:
    check = find("flash.tiled_forward")

    def in_lists(query: Tensor, *_: object) -> Tensor:
        return torch.tensor(query.tolist())

    outcome = call(in_lists, check.cases(0)[0], ("output",), forbidden=check.forbidden)
    assert outcome.shortcuts[0].startswith("`tolist`, `item` or `float`")


def test_a_kernel_must_be_launched() -> None:
    check = find("flash.kernel")
    outcome = call(
        lambda scores, tile: scores, check.cases(0)[0], check.returns, forbidden=check.forbidden
    )
    assert outcome.shortcuts == ("no Triton kernel",)


def told(name: str, edits: Edits, seed: int = 0) -> str:
    return verdict(name, find(name).text.edited(edits).run(), seed).headline


@pytest.mark.parametrize("seed", range(3))
def test_half_precision_is_no_other_mistake(seed: int) -> None:
    halves = "query, key, value = query.half(), key.half(), value.half()\n    scores ="
    assert "torch.float16" in told("attention.masked", {"scores =": halves}, seed)


@pytest.mark.parametrize(("name", "edits", "says"), TOLD)
def test_what_nobody_foresaw_is_told_by_its_numbers(name: str, edits: Edits, says: str) -> None:
    assert says in told(name, edits)


def test_what_is_so_in_some_cases_alone_is_said_of_one() -> None:
    edits = {
        "    shift =": "    if (new == -torch.inf).any():\n"
        "        return maximum, total, weighted\n"
        "    shift ="
    }
    says = told("flash.online_step", edits)
    assert says == "in this case `maximum` is `maximum` as it was"


def test_the_divisor_is_not_blamed_where_it_is_right() -> None:
    headline = told("attention.attend", {"value, weights": "value, weights ** 1.01"})
    assert "divided by" not in headline


def test_chance_is_named_wherever_it_shows() -> None:
    check = find("attention.scores")
    cases, calls = check.cases(0), list[int]()

    def with_noise(query: Tensor, key: Tensor) -> Tensor:
        calls.append(0)
        return query @ key.mT + (len(calls) if query.dim() == 4 else 1)

    found = judge(check, cases, call_all(check, with_noise, cases))
    assert found.slip == "second call differs"


def test_a_truth_value_is_as_good_as_0_or_1() -> None:
    check = find("bert.pair")
    answer = check.text.edited({"int(coin < 0.5)": "coin < 0.5"}).run()
    assert verdict(check.name, answer).passed


@pytest.mark.parametrize(
    ("error", "says"),
    [
        ("RuntimeError: The size of tensor a (2) must match the size of "
         "tensor b (3) at non-singleton dimension 2 (in f)", r".*source tokens.*\(in f\)"),
        ("KeyError: 3", "KeyError: 3$"),
        ("IndexError: Dimension out of range (expected to be in range "
         "of [-1, 0], but got 1)", "axis 1 is asked for, of a tensor that has one axis$"),
        ("RuntimeError: Sizes of tensors must match except in dimension "
         "1. Expected size 2 but got size 3 for tensor number 1 in the list.",
         "tensors are joined along axis 1, but elsewhere they differ: 2"),
        ("ValueError: expected sequence of length 3 at dim 1 (got 5)",
         "rows of 3 and of 5 are to make one tensor: fill up the shorter$"),
    ],
)  # fmt: skip
def test_an_error_is_said_in_the_words_of_the_exercise(error: str, says: str) -> None:
    check = find("decoder.cross_attention")
    assert re.match(says, in_words(check, check.cases(0)[0], error)[0])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: torch.stack(list(torch.ones(3, 2).split(2))), "stack needs pieces of one shape"),
        (lambda: torch.ones(2, 3)[torch.ones(1, 3).bool()], "an index of shape [1, 3]"),
        (lambda: torch.ones(2).add_(torch.ones(2, 2)), "a tensor of shape [2] cannot take in"),
        (lambda: _overwritten(), "numbers that the gradient still needs"),
    ],
)
def test_an_error_of_pytorch_is_said_in_plain_words(wrong: Callable[[], Tensor], says: str) -> None:
    check = find("attention.scores")
    with pytest.raises((RuntimeError, IndexError)) as caught:
        wrong()
    assert in_words(check, check.cases(0)[0], f"RuntimeError: {caught.value}")[0].startswith(says)


def _overwritten() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    z = y.sum()
    y.zero_()
    z.backward()


def test_what_mistakes_warn_of_is_not_shown(
    recwarn: pytest.WarningsRecorder, capfd: Capture
) -> None:
    wide = find("encoder.layer_norm")
    answer = wide.wrong(next(slip for slip in wide.slips if "unbiased" in slip.name))
    torch.set_warn_always(True)
    try:
        torch.ones(1).var()
        assert recwarn.pop(UserWarning), "PyTorch warns"
        with pytest.raises(NotPassed):
            check(wide.name, answer)
    finally:
        torch.set_warn_always(False)
    assert not recwarn.list
    assert "Warning" not in capfd.readouterr().err


def test_errors_are_alike_if_they_are_of_one_type() -> None:
    check = CHECKS["encoder.stack"]
    shape, other, mask = (
        Outcome(error=said) for said in ("ValueError: a", "ValueError: b", "TypeError: a")
    )
    assert same(check, shape, other)
    assert not same(check, shape, mask)
    assert not same(check, shape, Outcome(timed_out=True))
