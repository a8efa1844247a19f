"""Intervals: against numbers worked out elsewhere, and by how often they hold the truth."""

import pytest
import torch

from evidence.interval import interval, rate
from transformer_lesson import seeded


def test_an_interval_of_the_mean_is_students() -> None:
    # By hand: mean 3, deviation √2.5, t of four degrees 2.776.
    found = interval([1, 2, 3, 4, 5])
    assert (found.middle, found.low, found.high) == pytest.approx((3, 1.037, 4.963), abs=1e-3)
    assert f"{found:.1f}" == "3.0 (1.0 to 5.0)"
    with pytest.raises(ValueError, match="two runs or more, and there are 1"):
        interval([1.0])


def test_a_rate_has_wilsons_interval() -> None:
    # Of 45 of 60: Wilson 1927 gives 0.628 to 0.842.
    assert (rate(45, 60).low, rate(45, 60).high) == pytest.approx((0.628, 0.842), abs=1e-3)
    assert rate(10, 10).low == pytest.approx(0.722, abs=1e-3)
    assert rate(10, 10).high == pytest.approx(1)


@pytest.mark.parametrize("runs", [5, 10, 13, 20])
def test_nineteen_intervals_in_twenty_hold_the_mean(runs: int) -> None:
    drawn = torch.randn(2000, runs, generator=seeded(0)).tolist()
    held = sum(i.low < 0 < i.high for i in map(interval, drawn)) / len(drawn)
    assert 0.93 < held < 0.97
