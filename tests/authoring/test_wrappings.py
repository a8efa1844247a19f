"""Right answers in other wrappings: each is as right, and finds a check that asks for too much."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from authoring.wrappings import wrapped
from notebook_judge.checks import calls
from notebook_judge.checks.calls import call
from notebook_judge.checks.cases import Build, Case
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.judge import judge
from notebook_judge.checks.solutions import Solution
from tests.fixtures import Patch


def both(x):  # type: ignore[no-untyped-def]
    return (x / 3).exp(), torch.zeros(2, 2, dtype=torch.int64)


class Both(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor) -> Any:
        return self.layer(x).exp(), torch.zeros(2, 2, dtype=torch.int64)


def check(answer: Any, build: Build | None, *, gradients: bool = False) -> Check:
    """An exercise with two results, one of them whole numbers."""
    case = Case("two numbers", {"x": torch.tensor([0.3, 1.7])}, gradients, build)
    text, above = inspect.getsource(answer), "from typing import Any\nimport torch\n"
    return Check(
        name="numbers.both",
        lesson="00_numbers",
        title="Both",
        answer=answer.__name__,
        returns=("y", "n"),
        points=1,
        difficulty=1,
        importance=1,
        minutes=1,
        draw=lambda generator: [case],
        solution=Solution(
            "numbers.both", answer.__name__, text, f"{above}from torch import Tensor, nn\n"
        ),
    )


BUILD = Build({"width": 2}, {"layer.weight": torch.tensor([[1.5, 0.25], [0.7, -0.3]])})
FUNCTION, MODULE = check(both, None), check(Both, BUILD)


def refused(check: Check) -> set[str]:
    """The wrappings of the right answer that do not pass."""
    found = set()
    right = Both if check.answer == "Both" else both
    for name, answer, cases in wrapped(check, right, check.cases(0)):
        outcomes = [call(answer, case, check.returns, forbidden=frozenset()) for case in cases]
        if not judge(check, cases, outcomes).passed:
            found.add(name)
    return found


@pytest.mark.parametrize(
    "check",
    [FUNCTION, MODULE, check(both, None, gradients=True), check(Both, BUILD, gradients=True)],
)
def test_every_wrapping_of_a_right_answer_is_right(check: Check) -> None:
    assert not refused(check)


@pytest.mark.parametrize("check", [FUNCTION, MODULE])
@pytest.mark.parametrize(
    ("demanded", "found"),
    [
        (lambda parts: isinstance(parts, tuple), {"a list for a tuple"}),
        (
            lambda parts: all(isinstance(part, Tensor) for part in parts),
            {"in NumPy", "in numbers of Python", "in rows"},
        ),
        (lambda parts: all(_of(Tensor.is_contiguous, parts)), {"strided", "expanded"}),
        (
            lambda parts: {*_of(lambda part: part.dtype, parts)} <= {torch.float32, torch.int64},
            {"of other width"},
        ),
        (lambda parts: not any(_of(Tensor.is_inference, parts)), {"in inference mode"}),
        (
            lambda parts: not any(_of(lambda part: part.requires_grad, parts)),
            {"recording gradients"},
        ),
    ],
)
def test_what_a_judge_may_not_demand_is_found(
    check: Check, demanded: Callable[[Any], bool], found: set[str], monkeypatch: Patch
) -> None:
    assert not refused(check)  # and the right answer is known, which is float64
    named = calls._named

    def demanding(returned: Any, returns: tuple[str, ...]) -> Any:
        if not demanded(returned):
            raise TypeError("a right answer is refused")
        return named(returned, returns)

    monkeypatch.setattr(calls, "_named", demanding)
    assert refused(check) == found


def _of(what: Callable[[Tensor], Any], parts: Any) -> list[Any]:
    return [what(part) for part in parts if isinstance(part, Tensor)]


def test_an_answer_is_called_in_every_way() -> None:
    ways = dict((name, answer) for name, answer, _ in wrapped(FUNCTION, both, FUNCTION.cases(0)))
    other = {name for name, answer in ways.items() if not inspect.isfunction(answer)}
    assert other == {"an object that is called", "a method", "a partial", "a module's instance"}


def test_it_computes_in_float64_and_rounds_otherwise() -> None:
    seen = []

    def root(x: Tensor) -> Tensor:
        seen.append(x.dtype)
        return x.sqrt()

    ways = dict((name, answer) for name, answer, _ in wrapped(FUNCTION, root, FUNCTION.cases(0)))
    x = torch.tensor([4.0, 2.0])
    assert ways["in float64"](x).dtype == torch.float32
    assert seen == [torch.float64]
    whole, part = (ways["rounded otherwise"](x) - x.sqrt()).abs().tolist()
    assert whole == 0
    assert 0 < part < 1e-6


def test_beside_a_limit_and_a_gradient_less_is_tried() -> None:
    limited = Case("little memory", {"x": torch.zeros(2)}, most_numbers=3)
    assert not list(wrapped(FUNCTION, both, [limited]))
    free = FUNCTION.cases(0)
    names = {name for name, *_ in wrapped(check(both, None, gradients=True), both, free)}
    lost = {"in NumPy", "in numbers of Python", "in inference mode"}
    assert {name for name, *_ in wrapped(FUNCTION, both, free)} - names == lost
