"""Answers that are an nn.Module, or that are given a model: built, loaded, called, compared."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from notebook_judge.checks.calls import call
from notebook_judge.checks.cases import Build, Case, LanguageModel, Value
from notebook_judge.grading.sandbox import protocol
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


class Dropping(nn.Module):
    """Drops in training mode, in three ways, and always where ``always``."""

    def __init__(self, always: bool) -> None:
        super().__init__()
        self.always = always
        self.linear, self.dropout = nn.Linear(8, 8, bias=False), nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        p = 0.5 if self.training else 0.0
        x = self.dropout(self.linear(x))
        x = F.scaled_dot_product_attention(x, x, x, dropout_p=p)
        return F.dropout(x, 0.5, self.training or self.always)


@pytest.mark.parametrize(
    ("training", "always", "same"),
    [(True, False, True), (False, False, True), (False, True, False)],
)
def test_dropout_drops_nothing_in_training_mode_and_shows_in_evaluation(
    training: bool, always: bool, same: bool
) -> None:
    build = Build({"always": always}, {"linear.weight": torch.eye(8)}, training)
    case = Case("eight tokens", {"x": torch.eye(8)}, build=build)
    outcome = call(Dropping, case, ("y",), forbidden=frozenset())
    assert (outcome.error, outcome.unsteady) == ("", not same)
    assert same == bool((outcome.values["y"] != 0).all())


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


class Unanswered(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        raise NotImplementedError()


def with_gain(change: Callable[[Right], object]) -> Callable[[int], Right]:
    """``Right`` with something else done about its gain."""

    def build(width: int) -> Right:
        module = Right(width)
        change(module)
        return module

    return build


def renamed(module: Right) -> None:
    del module.gain
    module.scale = nn.Parameter(torch.ones(2))


def shared(module: Right) -> None:
    module.linear.weight = module.gain = nn.Parameter(torch.ones(2, 2))


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


class Freezes(Right):
    def forward(self, x: Tensor) -> Tensor:
        self.gain.requires_grad_(False)
        return super().forward(x)


class UsesThePackage(Right):
    def forward(self, x: Tensor) -> Tensor:
        MultiHeadAttention(2, 1)(x[None])
        return super().forward(x)


@pytest.mark.parametrize("kind", [Tied, TiedFromBehind])
def test_a_parameter_that_is_held_twice_stays_one_of_the_name_that_is_asked_for(
    kind: type[Right],
) -> None:
    tied, plain = call(kind, CASE, ("y",)), call(Right, CASE, ("y",))
    assert tied.error == ""
    assert tied.values.keys() == plain.values.keys()
    if kind is Tied:
        assert all(torch.equal(value, plain.values[name]) for name, value in tied.values.items())


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
    gradients = {f"gradient of {name}" for name in ("x", "linear.weight", "gain")}
    assert set(outcome.values) == {"y", *gradients}


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
        (with_gain(renamed), "has no parameter gain and has a parameter scale too many"),
        (
            with_gain(lambda m: setattr(m, "gain", nn.Parameter(torch.ones(1)))),
            r"gain has shape \(1,\); expected \(2,\)",
        ),
        (
            with_gain(lambda m: m.gain.requires_grad_(False)),
            "gain is frozen: its requires_grad is False",
        ),
        (with_gain(shared), "gain and linear.weight are one parameter under two names"),
        (LeavesTrainingMode, "was called in eval mode and leaves training mode behind"),
        (ReturnsAPair, "y is a tuple of 2; expected one tensor"),
        (lambda width: width, "makes a int; expected an nn.Module"),
        (Freezes, "gain records no gradient"),
    ],
)
def test_a_module_that_does_not_fit_says_how(answer: Callable[..., Any], words: str) -> None:
    assert re.search(words, call(answer, CASE, ("y",)).error)


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
