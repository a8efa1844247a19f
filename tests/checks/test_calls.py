"""Calling an answer: protected inputs, limits, shortcuts, and errors in one line."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from notebook_judge.checks.calls import call, call_all
from notebook_judge.checks.cases import Case
from notebook_judge.checks.clock import Clock
from tests.fixtures import Patch
from transformer_checks.catalogue import find
from transformer_lesson import seeded
from transformer_lesson.attention import reference_attention
from transformer_lesson.widgets.attention_maps import checked_maps

CASE = Case("two numbers", {"x": torch.tensor([1.0, 2.0])})
Rows = list[list[int]]
NOTHING: frozenset[str] = frozenset()
needs_a_timer = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="Windows has no timer that stops a loop"
)


@pytest.mark.parametrize("gradients", [False, True])
def test_inputs_are_copies_and_a_write_is_reported_and_no_error(gradients: bool) -> None:
    def writes(x: Tensor) -> Tensor:
        x += 1
        return x * x

    outcome = call(writes, Case("write", CASE.inputs, gradients), ("y",))
    assert (outcome.error, outcome.changed) == ("", ("x",))
    assert CASE.inputs["x"].tolist() == [1.0, 2.0]  # type: ignore[union-attr]


def test_gradients_are_those_of_autograd_and_a_detached_result_says_so() -> None:
    case = Case("gradient", CASE.inputs, gradients=True)
    upstream = torch.tensor([0.0, 1.0]).cos()
    expected = 3 * torch.tensor([1.0, 2.0]) ** 2 * upstream
    outcome = call(lambda x: x**3, case, ("y",))
    torch.testing.assert_close(outcome.values["gradient of x"], expected)
    assert "no gradient reaches" in call(lambda x: x.detach(), case, ("y",)).error


def test_a_gradient_is_that_of_all_results() -> None:
    case = Case("gradient", CASE.inputs, gradients=True)
    whole, part = (
        call(
            lambda x, loss=loss: (x**3, x.round().long(), loss(x.sum() ** 2)), case, ("y", "n", "z")
        )
        for loss in (Tensor.clone, Tensor.detach)
    )
    apart = whole.values["gradient of x"] - part.values["gradient of x"]
    torch.testing.assert_close(apart, torch.full((2,), 6.0))


@pytest.mark.parametrize(
    ("answer", "made"),
    [
        (lambda x: [2.0, 3.0], [2.0, 3.0]),
        (lambda x: np.array([2.0, 3.0]), [2.0, 3.0]),
        (lambda x: x.numpy()[::-1], [2.0, 1.0]),
        (lambda x: x.numpy()[:1][::-1], [1.0]),  # laid out forwards and backwards at once
        (lambda x: [x, 2 * x], [[1.0, 2.0], [2.0, 4.0]]),
    ],
)
def test_arrays_of_any_make_are_tensors(answer: Callable[..., Any], made: list[Any]) -> None:
    assert call(answer, CASE, ("y",)).values["y"].tolist() == made


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x: "text", "str"),
        (lambda x: {"y": 1}, "dict"),
        (lambda x: object(), "object"),
        (lambda x: x.to_sparse(), "torch.sparse_coo"),
        (lambda x: x.to("meta"), "on meta"),
        (lambda x: x.new_zeros(1).expand(10**9), "(1000000000,); expected far fewer"),
        (lambda x: x.to(torch.complex64), "complex64"),
        (lambda x: sys.exit(3), "SystemExit: 3"),
    ],
)
def test_odd_results_and_exits_are_errors_that_name_them(
    answer: Callable[..., Any], words: str
) -> None:
    assert words in call(answer, CASE, ("y",)).error


def test_a_wrong_number_of_results_names_both() -> None:
    error = call(lambda x: x, CASE, ("output", "weights")).error
    assert error.startswith("TypeError: the answer returned 1 value; expected 2: output, weights")


def test_an_error_shows_the_learners_own_line() -> None:
    def broken(x: Tensor) -> Tensor:
        return x @ torch.ones(3)  # the line that is shown

    error = call(broken, CASE, ("y",)).error
    assert error.startswith("RuntimeError: ")
    assert "in broken, line" in error
    assert "return x @ torch.ones(3)" in error


def test_stub_and_none_are_unanswered_but_pytorchs_error_is_not() -> None:
    def stub(x: Tensor) -> Tensor:
        raise NotImplementedError

    def unsupported(x: Tensor) -> Tensor:
        raise NotImplementedError("'cos' not implemented for 'Half'")

    assert call(stub, CASE, ("y",)).unanswered
    assert call(lambda x: None, CASE, ("y",)).unanswered
    assert "not implemented" in call(unsupported, CASE, ("y",)).error


def test_an_answer_that_relies_on_an_empty_one_says_which() -> None:
    def softmax(x: Tensor) -> Tensor:
        raise NotImplementedError

    def attend(x: Tensor) -> Tensor:
        return softmax(x)

    outcome = call(attend, CASE, ("y",))
    assert not outcome.unanswered
    assert outcome.error == "it calls `softmax`, which is still empty"


def sleeps_forever(x: Tensor) -> Tensor:
    while True:
        with suppress(Exception):
            time.sleep(0.01)


def computes_forever(x: Tensor) -> Tensor:
    while True:
        x = x + 1


def lets_others_compute(x: Tensor) -> Tensor:
    subprocess.run([sys.executable, "-c", "while True: pass"], check=False)
    return x


def computes_in_a_thread(x: Tensor) -> Tensor:
    stop = threading.Event()
    thread = threading.Thread(target=lambda: [None for _ in iter(stop.is_set, True)])
    thread.start()
    try:
        thread.join()
    finally:
        stop.set()
    return x


def waits(x: Tensor) -> Tensor:
    time.sleep(0.6)  # as on a machine that has no time for it
    return x


@needs_a_timer
@pytest.mark.parametrize(
    ("answer", "far", "stopped"),
    [
        (sleeps_forever, 2.0, "in sleeps_forever, line "),
        (computes_forever, 1000.0, "in computes_forever, line "),
        (lets_others_compute, 1000.0, "in lets_others_compute, line "),
        (computes_in_a_thread, 1000.0, "in computes_in_a_thread, line "),
        (waits, 20.0, ""),
    ],
)
def test_an_answer_is_stopped_by_what_it_computes_and_only_far_out_by_the_clock(
    answer: Callable[..., Any], far: float, stopped: str
) -> None:
    outcome = call(answer, CASE, ("y",), clock=Clock(0.3, far))
    assert outcome.timed_out == bool(stopped)
    assert outcome.error.startswith(stopped)


@needs_a_timer
def test_an_import_costs_no_time_and_is_never_broken_off(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    busy = "import time\nend = time.process_time() + 1\nwhile time.process_time() < end: pass"
    (tmp_path / "slow_to_load.py").write_text(busy)
    monkeypatch.syspath_prepend(tmp_path)

    def loads(x: Tensor) -> Tensor:
        return x + import_module("slow_to_load").end * 0

    assert call(loads, CASE, ("y",), clock=Clock(0.3, 1.0)).answered
    assert "slow_to_load" in sys.modules


@needs_a_timer
def test_the_limit_holds_for_all_cases_together() -> None:
    def slow(query: Tensor, key: Tensor) -> Tensor:
        end = time.process_time() + 0.7
        while time.process_time() < end:
            pass
        return query @ key.mT

    check = find("attention.scores")
    outcomes = call_all(check, slow, check.cases(0), Clock(2.0))
    assert [outcome.timed_out for outcome in outcomes] == [False, True]


def test_what_is_compiled_runs_as_it_was_written() -> None:
    compiled = torch.compile(lambda x: 2 * x)
    start = time.process_time()
    assert call(compiled, CASE, ("y",)).answered
    assert time.process_time() - start < 1


def test_a_result_that_changes_from_call_to_call_is_noticed() -> None:
    calls: list[Tensor] = []

    def keeps(x: Tensor) -> Tensor:
        calls.append(x)
        return x * len(calls)

    assert call(keeps, CASE, ("y",), forbidden=NOTHING).unsteady
    assert call(lambda x: x * torch.rand(2), CASE, ("y",), forbidden=NOTHING).unsteady
    assert not call(lambda x: x * torch.nan, CASE, ("y",), forbidden=NOTHING).unsteady
    buffer = torch.zeros(2)  # which a later call fills again
    outcome = call(lambda x: torch.add(x, x, out=buffer), CASE, ("y",), forbidden=NOTHING)
    assert (outcome.unsteady, outcome.values["y"].tolist()) == (False, [2.0, 4.0])


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (lambda: torch.manual_seed(0), "sets the seed"),
        (lambda: torch.set_default_dtype(torch.float64), "sets the default dtype"),
        (lambda: torch.set_grad_enabled(False), "whether gradients are recorded"),
        (lambda: torch.rand(2), ""),
    ],
)
def test_settings_that_outlast_a_call_are_reported(
    setting: Callable[[], object], words: str
) -> None:
    def sets(x: Tensor) -> Tensor:
        setting()
        return x * 2

    torch.manual_seed(1)
    for left in (call(sets, CASE, ("y",)).leaves for _ in range(2)):  # the first is undone
        assert words in left
        assert bool(words) == bool(left)


ATTENTION_CASE = Case("heads", {"x": torch.ones(2, 3, 4)})
SHORTCUTS: dict[str, list[Callable[..., Any]]] = {
    "softmax": [
        lambda x: torch.softmax(x, -1),
        lambda x: x.softmax(-1),
        lambda x: F.softmax(x, -1),
        lambda x: nn.Softmax(-1)(x),
        lambda x: F.log_softmax(x, -1).exp(),
        lambda x: torch.ops.aten._softmax(x, -1, False),
    ],
    "exponential": [lambda x: x.exp(), lambda x: x.clone().exp_(), torch.exp2],
    "logsumexp": [lambda x: x.logsumexp(0)],
    "attention": [
        lambda x: F.scaled_dot_product_attention(x, x, x),
        lambda x: torch._C._nn.scaled_dot_product_attention(x, x, x),
        lambda x: torch.ops.aten.scaled_dot_product_attention(x, x, x),
        lambda x: nn.MultiheadAttention(4, 2, batch_first=True)(x, x, x)[0],
        lambda x: nn.MultiheadAttention(4, 2, batch_first=True).eval()(x, x, x)[0],
        lambda x: nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()(x),
    ],
    "NumPy": [lambda x: x.numpy() + 1, np.asarray, np.from_dlpack],
}


@pytest.mark.parametrize(
    ("kind", "answer"), [(kind, answer) for kind, them in SHORTCUTS.items() for answer in them]
)
def test_a_shortcut_is_noticed_in_every_disguise(kind: str, answer: Callable[..., Any]) -> None:
    for gradients in {False, kind == "attention"}:
        case = Case("heads", ATTENTION_CASE.inputs, gradients)
        seen = call(answer, case, ("y",), forbidden=frozenset({kind})).shortcuts
        assert seen[:1] == (kind if kind == "NumPy" else f"PyTorch's {kind}",)
    if kind != "attention":
        assert call(answer, CASE, ("y",), forbidden=NOTHING).shortcuts == ()


def test_plain_operations_are_no_shortcut() -> None:
    for kinds, answer in (
        ({"softmax", "attention"}, lambda x: (x @ x.mT).exp() / 2),
        ({"exponential", "logsumexp"}, lambda x: x.expand(2, 2, 3, 4)),
    ):
        outcome = call(answer, ATTENTION_CASE, ("y",), forbidden=frozenset(kinds))
        assert (outcome.error, outcome.shortcuts) == ("", ())


def test_the_courses_own_attention_is_noticed() -> None:
    outcome = call(
        lambda x: reference_attention(x, x, x)[0], ATTENTION_CASE, ("y",), forbidden=NOTHING
    )
    assert outcome.shortcuts[0] == "the course's `reference_attention`"


def test_looking_at_weights_is_no_shortcut() -> None:
    def looks(x: Tensor) -> Tensor:
        checked_maps(torch.eye(2), ["a", "b"])
        return x * seeded(0).initial_seed()

    assert call(looks, CASE, ("y",), forbidden=NOTHING).shortcuts == ()


def _fails(self: object, *_: object) -> str:
    raise SystemExit("from within")


ODD_KINDS: tuple[tuple[type[BaseException], str], ...] = (
    (type("Mute", (Exception,), {"__str__": _fails}), "Mute: an error without words"),
    (type("Stub", (NotImplementedError,), {"__str__": _fails}), "Stub: an error without words"),
    (type("Classless", (BaseException,), {"__class__": property(_fails)}), "Classless: hm"),
    (type("Closed", (Exception,), {"__getattribute__": _fails}), "an error without a name"),
)


@pytest.mark.parametrize(("kind", "says"), ODD_KINDS)
def test_an_error_that_is_broken_itself_is_an_error(kind: type[BaseException], says: str) -> None:
    def raises(x: Tensor) -> Tensor:
        raise kind("hm")

    assert call(raises, CASE, ("y",)).error.startswith(says)


def test_ctrl_c_is_the_learners() -> None:
    def interrupted(x: Tensor) -> Tensor:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call(interrupted, CASE, ("y",))


def test_watching_does_not_import_the_compiler() -> None:
    code = (
        "import importlib.util, sys, torch, transformer_checks\n"
        "assert importlib.util.find_spec('torch._dynamo'), 'else nothing could import it'\n"
        "from notebook_judge.checks.shortcuts import watch\n"
        "with watch(frozenset({'softmax'})) as seen: torch.ones(3).softmax(-1)\n"
        "assert seen, seen\n"
        "assert 'triton' not in sys.modules and 'torch._dynamo' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
