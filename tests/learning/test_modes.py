"""What a learner sets for a whole session reaches no verdict, and is as it was after a check."""

import gc
import random
import sys
import tomllib
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from notebook_judge.checks.exercise import Check
from notebook_judge.checks.modes import judging, neutral
from notebook_judge.learning import notebook
from tests.fixtures import Patch
from transformer_checks.catalogue import CHECKS
from transformer_checks.catalogue.draws import MOST_DRAWS, redrawn

MODES = tomllib.loads(Path(__file__).with_name("modes.toml").read_text("utf-8"))
# Tensors without numbers let no cell compute, and some modes are two ways to one thing.
ALONE = ("tensors without numbers", "double precision", "tensors of another type")
TOGETHER = [mode for mode in MODES if mode not in ALONE]
EVERY = pytest.mark.parametrize("mode", MODES)
# Draws and answers that a mode has spoilt, among them all that make tensors of their own.
SENSITIVE = (
    *("attention.which_bug", "attention.self_attention", "heads.module", "encoder.rms_norm"),
    *("training.adam", "modern.bug_hunt"),
)
# An open exercise trains for long; a kernel needs Triton's interpreter from the start.
OTHERS = [c for c in CHECKS.values() if not c.rubric and "no kernel" not in c.forbidden]

# What `inference_mode` and its like give ends the mode when it is collected.
_kept: list[dict[str, Any]] = []

Learner = Callable[..., dict[str, Any]]
Said = Callable[[Check, Any], str]


@pytest.fixture
def learner() -> Iterator[Learner]:
    """Run cells that set something, which is undone; their names."""
    names: dict[str, Any] = {"torch": torch}
    _kept.append(names)

    def runs(*modes: str) -> dict[str, Any]:
        for mode in modes:
            exec(MODES[mode], names)
        return names

    with judging():
        yield runs
    torch.set_float32_matmul_precision("highest")  # the judge keeps to that of a CPU


@pytest.fixture
def said(monkeypatch: Patch) -> Said:
    """What a check of one draw says of an answer."""
    panels: list[object] = []
    monkeypatch.setattr(notebook, "SEEDS", 1)
    monkeypatch.setattr(notebook, "_show", panels.append)
    monkeypatch.setattr(notebook, "_note", lambda *_: None)

    def says(check: Check, answer: Any) -> str:
        with suppress(notebook.NotPassed):
            notebook.check(check.name, answer)
        return repr(panels[-1])

    return says


def answer(check: Check, names: dict[str, Any], edits: dict[str, str] | None = None) -> Any:
    """What a cell defines that holds the solution, or a slip."""
    text = check.text.edited(edits or {}).whole
    exec(compile(text, f"<a cell of {check.name}>", "exec"), names)
    return names[check.answer]


def autocast_blocks() -> int:
    torch.autocast_increment_nesting()
    return torch.autocast_decrement_nesting()


def seen() -> list[object]:
    """What a learner finds."""
    numbers = np.array([1.0, 2.0 / 3])
    return [
        torch.empty(1).dtype,
        torch.empty(1).device,
        type(torch.empty(1)),
        (torch.ones(1, 1) @ torch.ones(1, 1)).dtype,
        autocast_blocks(),
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.get_deterministic_debug_mode(),
        torch.is_anomaly_enabled(),
        torch.get_num_threads(),
        torch.get_float32_matmul_precision(),
        torch.backends.cuda.flash_sdp_enabled(),
        torch.backends.cuda.math_sdp_enabled(),
        sys.float_info.min * sys.float_info.epsilon == 0,
        bool(torch._C._autograd._top_saved_tensors_default_hooks(True)),
        torch.default_generator.initial_seed(),
        torch._C._len_torch_function_stack(),
        torch._C._len_torch_dispatch_stack(),
        len(torch.nn.modules.module._global_forward_hooks),
        random.getstate(),
        str(np.random.get_state()),
        torch._tensor_str.get_printoptions(),
        str(numbers),
        np.geterr(),
        warnings.filters[:1],
        sys.getrecursionlimit(),
        sys.getswitchinterval(),
        gc.isenabled(),
    ]


@EVERY
def test_the_judge_computes_as_on_any_day(mode: str, learner: Learner) -> None:
    learner(mode)
    with neutral():
        x = torch.linspace(0.1, 1.0, 400).view(20, 20).requires_grad_()
        made = x @ x.T
        assert (type(made), made.dtype, made.device.type) == (torch.Tensor, torch.float32, "cpu")
        torch.testing.assert_close(made.double(), x.double() @ x.double().T, rtol=1e-6, atol=1e-6)
        (gradient,) = torch.autograd.grad((x * x).sum(), x)
        assert torch.equal(gradient, 2 * x)
        assert torch.equal(torch.nn.Identity()(x), x)
        assert torch.nn.functional.scaled_dot_product_attention(x, x, x).shape == x.shape
        assert torch.tensor(sys.float_info.min, dtype=torch.float64) / 2 > 0
        warnings.warn("nobody is disturbed", stacklevel=1)
        assert np.isinf(np.float64(1.0) / np.float64(0.0))

        def deep(more: int) -> int:
            return more and deep(more - 1)

        assert deep(1000) == 0


def test_autocast_left_on_keeps_no_weights_for_an_answer(learner: Learner) -> None:
    learner("autocast, entered")
    weight, made = torch.ones(2, 2, requires_grad=True), []
    with neutral():
        for _ in range(2):
            with torch.autocast("cpu", torch.bfloat16):
                made.append(torch.ones(2, 2) @ weight)
            weight.data.add_(1.0)
    assert made[1].tolist() == (2 * made[0]).tolist()
    assert autocast_blocks() == 1


@EVERY
def test_a_check_leaves_all_as_it_was(mode: str, learner: Learner, said: Said) -> None:
    unset = seen()
    names, check = learner(mode), CHECKS["attention.masked"]
    before = seen()
    assert before != unset
    assert "passed" in said(check, answer(check, names))
    assert seen() == before


@EVERY
@pytest.mark.parametrize("name", SENSITIVE)
def test_solutions_pass_under_each_mode(mode: str, name: str, learner: Learner, said: Said) -> None:
    names, check = learner(mode), CHECKS[name]
    assert (
        said(check, answer(check, names))
        == f"{name}: passed, {check.points} of {check.points} points"
    )


@pytest.mark.parametrize("check", OTHERS, ids=lambda check: check.name)
def test_verdicts_are_the_same_under_all_modes_together(
    check: Check, learner: Learner, said: Said
) -> None:
    edits = [{}, *(dict(slip.edits) for slip in check.slips[:1])]
    without = [said(check, answer(check, {}, one)) for one in edits]
    names = learner(*TOGETHER)
    assert [said(check, answer(check, names, one)) for one in edits] == without
    assert "passed" in without[0]


def test_a_sheet_is_read_as_on_any_day(learner: Learner, monkeypatch: Patch) -> None:
    """Whichever comes first, ``hint`` or ``check``: some of its sheets hold tensors."""
    name, module = "training.floors", "transformer_checks.catalogue.training.floors"
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(CHECKS.data, name, module)
    learner("another device")
    check = CHECKS[name]
    with judging():
        assert all(not case.inputs["texts"].is_meta for case in check.cases(0))  # type: ignore[union-attr]


def test_draws_that_never_suit_come_to_an_end() -> None:
    drawn: list[None] = []
    with pytest.raises(RuntimeError, match=rf"has drawn {MOST_DRAWS:,} times, and nothing that"):
        redrawn(lambda: drawn.append(None))
    assert len(drawn) == MOST_DRAWS
