"""The view of learning rates, without a browser."""

from typing import get_args

import pytest

from transformer_lesson.training import learning_rate
from transformer_lesson.training.config import Schedule
from transformer_lesson.widgets import ScheduleExplorer


@pytest.mark.parametrize("schedule", get_args(Schedule))
def test_the_config_is_the_schedule_that_is_shown(schedule: str) -> None:
    explorer = ScheduleExplorer(200, 0.01, 50, schedule)
    config = explorer.config()
    assert (config.steps, config.warmup_steps, config.schedule) == (200, 50, schedule)
    assert learning_rate(50, config) == pytest.approx(0.01)


def test_the_width_gives_the_rate_of_the_paper_alone() -> None:
    explorer = ScheduleExplorer(10_000, 1e-3, 4_000, d_model=512)
    assert explorer.peak() == pytest.approx(6.99e-4, abs=1e-6)  # the base model of the paper
    explorer.schedule = "cosine"
    assert explorer.peak() == 1e-3


def test_what_does_not_fit_moves_to_the_nearest_that_does() -> None:
    explorer = ScheduleExplorer(200, 0.01, 0, "constant")
    explorer.step = 150
    explorer.schedule = "paper"
    assert explorer.warmup_steps == 1
    explorer.warmup_steps = 150
    explorer.schedule = "cosine"
    explorer.steps = 100
    assert (explorer.warmup_steps, explorer.step) == (99, 100)
    assert explorer.config().steps == 100
    explorer.warmup_steps = 100
    assert explorer.warmup_steps == 99
    explorer.schedule = "stable"
    assert (explorer.warmup_steps, explorer.decay_steps) == (99, 1)
    assert explorer.config().decay_steps == 1


def test_the_text_says_the_rates() -> None:
    explorer = ScheduleExplorer(400, 0.01, 100)
    assert explorer._repr_mimebundle_()[0]["text/plain"].splitlines() == [
        "Learning rate, schedule paper: 400 steps, of which 100 warm up, highest rate 0.01.",
        "step 1 0.0001; step 100 0.01; step 200 0.00707; step 400 0.005.",
    ]
    explorer.d_model = 16
    assert "highest rate 0.025 = 1/√(d_model 16 · 100)" in explorer._alt_text()
    explorer.schedule = "stable"
    assert "of which 100 warm up and 80 fall, highest rate 0.01." in explorer._alt_text()
