"""Muon: what it makes of a gradient."""

import pytest
import torch

from transformer_lesson import seeded
from transformer_lesson.training.muon import newton_schulz


@pytest.mark.parametrize("shape", [(6, 6), (5, 9), (9, 5)])
def test_singular_values_come_near_1(shape: tuple[int, int]) -> None:
    gradient = torch.randn(shape, generator=seeded(0), dtype=torch.float64)
    found = newton_schulz(gradient)
    left, _, right = torch.linalg.svd(gradient, full_matrices=False)
    ours = left.T @ found @ right.T
    assert ours.diagonal().min() > 0.6 and ours.diagonal().max() < 1.3
    torch.testing.assert_close(ours, ours.diagonal().diag())
    torch.testing.assert_close(newton_schulz(3 * gradient), found)


def test_what_is_no_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(3,\); expected a matrix\. Give others"):
        newton_schulz(torch.ones(3))
