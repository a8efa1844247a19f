"""In which precision a step computes, and who decides it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from tests.fixtures import Patch
from tests.training.small import SENTENCES, run, small_model
from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention
from transformer_lesson.training import TrainingConfig, loop, next_token
from transformer_lesson.training.precision import computing_in, faster_precision

CONFIG = TrainingConfig(steps=4, learning_rate=0.01)
CPU = torch.device("cpu")


def test_products_are_rounded_and_weights_are_not() -> None:
    model = small_model().eval()
    tokens = torch.tensor(SENTENCES[:1])
    with computing_in("bfloat16", CPU):
        rounded = model(tokens)
    exact = model(tokens)
    assert rounded.dtype is torch.bfloat16 and exact.dtype is torch.float32
    torch.testing.assert_close(rounded.float(), exact, rtol=0.05, atol=0.05)
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}


@pytest.mark.parametrize(
    ("dropout", "training", "expected"),
    [(0.0, True, torch.float32), (0.1, True, torch.bfloat16), (0.0, False, torch.bfloat16)],
)
def test_fused_attention_is_exact_where_a_cpu_is_slow_otherwise(
    dropout: float, training: bool, expected: torch.dtype, monkeypatch: Patch
) -> None:
    usual, seen = F.scaled_dot_product_attention, []

    def watched(query: Tensor, *args: Any, **options: Any) -> Tensor:
        seen.append(query.dtype)
        return usual(query, *args, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", watched)
    layer = MultiHeadAttention(8, 2, dropout=dropout, attention="fused", generator=seeded(0))
    tokens, bias = torch.randn(1, 5, 8, generator=seeded(1)), torch.full((5, 5), 0.5)
    with computing_in("bfloat16", CPU), torch.set_grad_enabled(training):
        rounded, _ = layer.train(training)(tokens, bias=bias)
    assert seen == [expected]
    assert rounded.dtype == torch.bfloat16
    if not dropout:
        exact, _ = layer(tokens, bias=bias)
        torch.testing.assert_close(rounded.float(), exact, rtol=0.05, atol=0.05)


def test_training_in_bfloat16_learns_what_float32_learns() -> None:
    exact, rounded = (run(replace(CONFIG, precision=p)) for p in ("float32", "bfloat16"))
    assert (exact.precision, rounded.precision) == ("float32", "bfloat16")
    assert exact.losses != rounded.losses
    assert exact.losses == pytest.approx(rounded.losses, rel=0.02)


@pytest.mark.parametrize("faster", ["float32", "bfloat16"])
def test_the_faster_one_is_measured(monkeypatch: Patch, faster: str) -> None:
    """A clock that runs slowly while one of them computes stands in for a processor."""
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 1.0 if torch.is_autocast_enabled("cpu") == (faster == "bfloat16") else 5.0
        return now

    model = small_model()

    def objective(model: torch.nn.Module, batch: Any) -> Any:
        clock()
        return next_token(padding_id=0)(model, batch)

    monkeypatch.setattr("transformer_lesson.training.precision.time.perf_counter", lambda: now)
    assert faster_precision(model, objective, torch.tensor(SENTENCES[:1])) == faster
    assert all(weight.grad is None for weight in model.parameters())


def test_a_run_measures_once_and_keeps_its_choice(tmp_path: Path, monkeypatch: Patch) -> None:
    config = replace(CONFIG, precision="fastest")
    monkeypatch.setattr(loop, "faster_precision", lambda *_: "bfloat16")
    whole = run(config)
    assert whole.losses == run(replace(config, precision="bfloat16")).losses
    run(replace(config, steps=2), folder=tmp_path)
    monkeypatch.setattr(loop, "faster_precision", lambda *_: pytest.fail("measured again"))
    resumed = run(config, folder=tmp_path)
    assert resumed.losses == whole.losses and resumed.precision == "bfloat16"
