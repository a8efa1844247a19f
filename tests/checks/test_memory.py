"""The memory of an answer is measured: at its worst moment, without its inputs."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from notebook_judge.checks.calls import call
from notebook_judge.checks.cases import Case, Outcome
from notebook_judge.checks.exercise import Check, Slip
from notebook_judge.checks.judge import TOO_LITTLE, judge
from notebook_judge.checks.memory import LiveNumbers
from notebook_judge.checks.solutions import Solution
from notebook_judge.grading.sandbox import protocol

X = torch.arange(100.0)
LIMITED = Case("100 numbers", {"x": X}, most_numbers=350)


def test_what_is_alive_at_once_is_counted_but_for_inputs_and_views() -> None:
    x = torch.ones(10, 10)
    with LiveNumbers() as memory:
        assert x.mT[2:].reshape(-1)[:3].shape == (3,)  # the reshape is a copy of 80
        x += 1
        assert memory.most == 80
        for _ in range(5):
            torch.ones(10, 10).sum()  # gone before the next one
        assert memory.most == 101
        kept = [torch.ones(10, 10) for _ in range(5)]
        assert len(kept) == 5
        kept.clear()
        torch.ones(1)  # what comes later is not the worst moment
    assert (memory.most, memory.largest) == (500, (10, 10))
    with LiveNumbers() as memory:
        torch.empty(1000, 1000, device="meta").softmax(-1)
    assert memory.most == 2_000_000


@pytest.mark.parametrize("forbidden", [None, frozenset[str]()])
def test_too_much_is_said_in_words(forbidden: frozenset[str] | None) -> None:
    outcome = call(_outer, LIMITED, ("y",), forbidden=forbidden)
    assert outcome.too_much == (
        "holds 10,100 numbers at once beside its inputs; its largest tensor is 100 by 100"
    )
    assert call(_outer, Case("any", {"x": X}), ("y",), forbidden=forbidden).too_much == ""
    assert call(lambda x: x * x.sum(), LIMITED, ("y",), forbidden=forbidden).too_much == ""


def test_a_list_of_pieces_is_counted_too() -> None:
    assert call(lambda x: sum([x * 1, x * 2, x * 3]), LIMITED, ("y",)).too_much
    assert not call(lambda x: sum(x * factor for factor in range(4)), LIMITED, ("y",)).too_much


ROWS = "def rows(x):\n    return x * x.sum()\n"


def _check(*slips: Slip) -> Check:
    return Check(
        name="topic.rows",
        lesson="99_tiny",
        title="Rows",
        answer="rows",
        points=1,
        importance=1,
        minutes=1,
        hints=("a", "b"),
        returns=("y",),
        difficulty=1,
        draw=lambda _: [Case("3 numbers", {"x": torch.ones(3)}), LIMITED],
        slips=slips,
        solution=Solution("topic.rows", "rows", ROWS),
    )


def _outer(x: Tensor) -> Tensor:
    return (x[:, None] * x).sum(-1)


def test_right_values_in_too_much_memory_are_wrong_and_a_known_waste_is_named() -> None:
    pairs = {"x * x.sum()": "(x[:, None] * x).sum(-1)"}
    named = _check(Slip("all pairs", pairs, "all pairs are made", "Sum first."))
    cases = named.cases(0)
    outcomes = [call(_outer, case, ("y",)) for case in cases]
    verdict = judge(_check(), cases, outcomes)
    assert (verdict.status, verdict.points) == ("wrong", 0)
    assert verdict.headline.startswith("`rows` holds 10,100 numbers at once")
    assert "allowed: 350 numbers" in verdict.counterexample
    assert judge(named, cases, outcomes).slip == "all pairs"


@pytest.mark.parametrize(("made", "name"), [("6", "twice"), ("9", ""), ("0,9", "")])
def test_a_waste_is_named_only_for_as_much_work(made: str, name: str) -> None:
    slip = Slip("twice", {"x * x.sum()": "x * x.sum() * 1"}, "it multiplies twice", "Once.")
    case = Case("3 numbers", {"x": torch.ones(3)}, most_products=3)
    outcome = Outcome({"y": torch.full((3,), 3.0)}, too_much=f"makes {made} multiplications")
    assert judge(_check(slip), [case], [outcome]).slip == name


def test_too_little_work_is_refused() -> None:
    case = replace(LIMITED, most_numbers=None, most_products=10**6, least_products=10**4)
    outcome = call(lambda x: x * x.sum(), case, ("y",))
    assert outcome.too_much == "makes 100 multiplications, fewer than it should"
    verdict = judge(_check(), [case], [outcome])
    assert verdict.lead.endswith(TOO_LITTLE)
    assert "asked for: at least 10,000" in verdict.counterexample
    back = protocol.unpack_case(protocol.pack_case(case))
    assert back.least_products == 10**4


def test_limit_and_finding_travel_to_the_worker_and_back() -> None:
    assert protocol.unpack_case(protocol.pack_case(LIMITED)).most_numbers == 350
    assert protocol.unpack_case(protocol.pack_case(Case("any", {"x": X}))).most_numbers is None
    sent = protocol.dump(protocol.pack_outcome(Outcome(values={"y": X}, too_much="300 numbers")))
    assert protocol.unpack_outcome(protocol.load(sent), {"y"}).too_much == "300 numbers"


def test_what_a_kernel_raises_is_unwrapped() -> None:
    """Triton's interpreter wraps it in an error of its own."""

    class InterpreterError(Exception):
        pass

    def launch(cause: Exception) -> Tensor:
        try:
            raise cause
        except Exception as error:
            raise InterpreterError(repr(error)) from error

    assert call(lambda x: launch(NotImplementedError()), LIMITED, ("y",)).unanswered
    outcome = call(lambda x: launch(ValueError("no such tile")), LIMITED, ("y",))
    assert outcome.error.startswith("ValueError: no such tile")
