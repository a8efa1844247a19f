"""Answers that are an nn.Module, or that are given a model: built, loaded, called, compared."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from transformer_checks.checks.calls import call
from transformer_checks.checks.cases import Build, Case, LanguageModel, Value
from transformer_checks.grading.sandbox import protocol
from transformer_lesson.attention import MultiHeadAttention

WEIGHTS = {
    "linear.weight": torch.tensor([[2.0, 0.0], [0.0, 3.0]]),
    "gain": torch.tensor([1.0, 5.0]),
}
CASE = Case(
    "two numbers",
    {"x": torch.tensor([[1.0, 2.0]])},
    gradients=True,
    build=Build({"width": 2}, WEIGHTS, training=False),
)


class Right(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width, bias=False)
        self.gain = nn.Parameter(torch.ones(width))
        self.register_buffer("table", torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        assert not self.training
        return self.linear(x) * self.gain


class Tied(Right):
    """Holds one parameter under two names."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.second = nn.Linear(width, width, bias=False)
        self.second.weight = self.linear.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.second(x) * self.gain


class ReturnsAPair(Right):
    """Return a pair, as an attention does with its weights."""

    def forward(self, x: Tensor) -> tuple[Tensor, None]:  # type: ignore[override]
        return super().forward(x), None


class NoParameters(Right):
    def __init__(self, width: int) -> None:
        nn.Module.__init__(self)


class OtherName(Right):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        del self.gain
        self.scale = nn.Parameter(torch.ones(width))


class OtherShape(Right):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.gain = nn.Parameter(torch.ones(1))


class Unanswered(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        raise NotImplementedError()


class Frozen(Right):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.gain.requires_grad_(False)


class OneForTwo(Right):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.gain = nn.Parameter(torch.ones(width, width))
        self.linear.weight = self.gain


class TiedFromBehind(Right):
    """Its parameter comes first under a name that nobody asked for."""

    def __init__(self, width: int) -> None:
        nn.Module.__init__(self)
        self.first = nn.Linear(width, width, bias=False)
        self.linear = nn.Linear(width, width, bias=False)
        self.linear.weight = self.first.weight
        self.gain = nn.Parameter(torch.ones(width))


class KeepsItsFirstProduct(Right):
    def forward(self, x: Tensor) -> Tensor:
        if not hasattr(self, "kept"):
            self.kept = self.linear.weight * self.gain[:, None]
        return x @ self.kept.T


class LeavesTrainingMode(Right):
    def forward(self, x: Tensor) -> Tensor:
        y = super().forward(x)
        self.train()
        return y


class UsesThePackage(Right):
    def forward(self, x: Tensor) -> Tensor:
        MultiHeadAttention(2, 1)(x[None])
        return super().forward(x)


def test_a_parameter_that_is_held_twice_stays_one() -> None:
    tied, plain = call(Tied, CASE, ("y",)), call(Right, CASE, ("y",))
    assert tied.error == ""
    assert tied.values.keys() == plain.values.keys()
    assert all(torch.equal(value, plain.values[name]) for name, value in tied.values.items())


def test_a_parameter_of_two_names_goes_by_the_one_that_is_asked_for() -> None:
    outcome = call(TiedFromBehind, CASE, ("y",))
    assert outcome.error == ""
    assert outcome.values.keys() == call(Right, CASE, ("y",)).values.keys()


def test_what_a_module_keeps_from_other_weights_is_noticed() -> None:
    outcome = call(KeepsItsFirstProduct, CASE, ("y",), forbidden=frozenset())
    assert outcome.unsteady
    assert not call(Right, CASE, ("y",), forbidden=frozenset()).unsteady


def test_a_part_that_forward_makes_is_no_switch_of_mode() -> None:
    class Late(Right):
        def forward(self, x: Tensor) -> Tensor:
            self.nothing = nn.Identity()
            return super().forward(x)

    assert call(Late, CASE, ("y",)).error == ""


def test_a_module_is_given_the_weights_and_its_gradients_come_back() -> None:
    outcome = call(Right, CASE, ("y",))
    assert outcome.error == ""
    assert outcome.values["y"].tolist() == [[2.0, 30.0]]
    assert set(outcome.values) == {
        "y",
        "gradient of x",
        "gradient of linear.weight",
        "gradient of gain",
    }


def test_a_module_is_computed_in_the_dtype_of_the_weights() -> None:
    assert CASE.build
    build = replace(CASE.build, weights={n: w.double() for n, w in WEIGHTS.items()})
    exact = replace(CASE, build=build, inputs={"x": torch.ones(1, 2).double()})
    assert call(Right, exact, ("y",)).values["y"].dtype == torch.float64


def test_an_empty_class_is_unanswered() -> None:
    assert call(Unanswered, CASE, ("y",)).unanswered


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (NoParameters, "no parameters; make its layers in __init__"),
        (OtherName, "has no parameter gain and has a parameter scale too many"),
        (OtherShape, r"gain has shape \(1,\); expected \(2,\)"),
        (Frozen, "gain is frozen: its requires_grad is False"),
        (OneForTwo, "gain and linear.weight are one parameter under two names"),
        (LeavesTrainingMode, "was called in eval mode and leaves training mode behind"),
        (ReturnsAPair, "y is a tuple of 2; expected one tensor"),
        (lambda width: width, "makes a int; expected an nn.Module"),
    ],
)
def test_a_module_that_does_not_fit_says_how(answer: Callable[..., Any], words: str) -> None:
    error = call(answer, CASE, ("y",)).error
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(error)


class Freezes(Right):
    def forward(self, x: Tensor) -> Tensor:
        self.gain.requires_grad_(False)
        return super().forward(x)


def test_a_module_that_freezes_itself_is_reported() -> None:
    assert "gain records no gradient" in call(Freezes, CASE, ("y",)).error


def test_only_allowed_parts_of_the_package_may_be_used() -> None:
    nothing: frozenset[str] = frozenset()
    assert call(UsesThePackage, CASE, ("y",), forbidden=nothing).shortcuts
    allowed = call(UsesThePackage, CASE, ("y",), forbidden=nothing, allowed=("attention",))
    assert allowed.shortcuts == ()


def test_a_case_with_a_module_a_model_and_lists_travels() -> None:
    table = torch.arange(8.0).view(2, 2, 2)
    inputs: dict[str, Value] = {
        "model": LanguageModel(table),
        "ids": [1, 2],
        "norm": "pre",
        "x": torch.ones(2),
    }
    sent = protocol.dump(protocol.pack_case(replace(CASE, inputs=inputs)))
    there = protocol.unpack_case(protocol.load(sent))
    assert there.build and CASE.build
    assert there.build.config == CASE.build.config
    assert torch.equal(there.build.weights["gain"], WEIGHTS["gain"])
    assert there.inputs["ids"] == [1, 2]
    assert there.inputs["norm"] == "pre"
    model = there.inputs["model"]
    assert isinstance(model, LanguageModel)
    assert model(torch.tensor([[0, 1], [1, 0]])).tolist() == [[2.0, 3.0], [4.0, 5.0]]


def test_a_write_into_a_list_is_reported() -> None:
    def writes(ids: list[int]) -> Tensor:
        ids.append(3)
        return torch.tensor(ids)

    assert call(writes, Case("a list", {"ids": [1, 2]}), ("ids",)).changed == ("ids",)
