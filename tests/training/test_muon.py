"""Muon: as PyTorch's own, and whole after a stop."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.fixtures import Patch
from tests.training.small import BATCHES, run, small_model
from transformer_lesson import seeded
from transformer_lesson.training import CheckpointError, TrainingConfig
from transformer_lesson.training.muon import Muon, Together, newton_schulz


@pytest.mark.parametrize("shape", [(6, 6), (5, 9), (9, 5)])
def test_singular_values_come_near_1(shape: tuple[int, int]) -> None:
    gradient = torch.randn(shape, generator=seeded(0), dtype=torch.float64)
    found = newton_schulz(gradient)
    left, _, right = torch.linalg.svd(gradient, full_matrices=False)
    ours = left.T @ found @ right.T
    assert ours.diagonal().min() > 0.6 and ours.diagonal().max() < 1.3
    torch.testing.assert_close(ours, ours.diagonal().diag())
    torch.testing.assert_close(newton_schulz(3 * gradient), found)


@pytest.mark.skipif(not hasattr(torch.optim, "Muon"), reason="a younger PyTorch has it")
@pytest.mark.parametrize("shape", [(4, 7), (7, 4)])
def test_equals_pytorchs(shape: tuple[int, int], monkeypatch: Patch) -> None:
    monkeypatch.setattr(Tensor, "bfloat16", Tensor.double)  # in which PyTorch's would iterate
    start = torch.randn(shape, generator=seeded(0), dtype=torch.float64)
    ours, theirs = nn.Parameter(start.clone()), nn.Parameter(start.clone())
    values: Any = {"lr": 0.1, "weight_decay": 0.01}
    other = torch.optim.Muon([theirs], adjust_lr_fn="match_rms_adamw", **values)
    for optimizer, matrix in ((Muon([ours], **values), ours), (other, theirs)):
        for step in range(3):
            matrix.grad = torch.randn(shape, generator=seeded(step), dtype=torch.float64)
            optimizer.step()
    torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


def optimizer_of(model: nn.Module) -> Together:
    matrices = [p for n, p in model.named_parameters() if p.dim() == 2 and "layers" in n]
    others = [p for n, p in model.named_parameters() if p.dim() < 2 or "layers" not in n]
    return Together(Muon(matrices), torch.optim.Adam(others))


def test_a_stopped_run_goes_on_and_may_end_elsewhere_before_the_rate_falls(tmp_path: Path) -> None:
    config = TrainingConfig(
        steps=9, learning_rate=0.02, warmup_steps=2, schedule="stable", decay_steps=3, save_every=1
    )
    longer = replace(config, steps=20)
    whole, stopped, resumed = (small_model(seed) for seed in (0, 0, 5))

    def batches(number: int) -> Any:
        return BATCHES(number) if number < 4 else pytest.fail("stopped")

    with pytest.raises(pytest.fail.Exception):
        run(longer, stopped, batches, optimizer=optimizer_of(stopped), folder=tmp_path)
    expected = run(config, whole, optimizer=optimizer_of(whole))
    history = run(config, resumed, optimizer=optimizer_of(resumed), folder=tmp_path)
    assert history.losses == expected.losses and expected.losses[-1] < expected.losses[0]
    assert all(a.equal(b) for a, b in zip(resumed.parameters(), whole.parameters(), strict=True))
    with pytest.raises(CheckpointError, match="steps=9, this run has steps=20"):
        run(longer, resumed, optimizer=optimizer_of(resumed), folder=tmp_path)


def test_what_is_no_matrix_is_refused() -> None:
    vector: Any = nn.Parameter(torch.ones(3))
    with pytest.raises(ValueError, match=r"shape \(3,\); expected a matrix\. Give others"):
        Muon([vector])
