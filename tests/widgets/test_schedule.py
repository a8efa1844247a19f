"""The view of learning rates, without a browser."""

from typing import Any

import pytest
from traitlets import TraitError

from transformer_lesson.training import learning_rate
from transformer_lesson.widgets import ScheduleExplorer


@pytest.mark.parametrize(
    ("arguments", "error", "rule"),
    [
        ({"steps": 1}, ValueError, "steps=1 is out of range; .* 2 to 1000000"),
        ({"steps": 10.0}, TypeError, r"steps=10\.0; pass a whole number"),
        ({"learning_rate": 0.0}, ValueError, "learning_rate=0.0; expected a positive number"),
        ({"learning_rate": 100.0}, ValueError, "learning_rate=100.0 is out of range; pass 1e-07"),
        ({"warmup_steps": 0}, ValueError, "schedule='paper' .* needs warmup_steps of at least 1"),
        ({"warmup_steps": -1}, ValueError, "warmup_steps=-1; expected a whole number"),
        (
            {"steps": 100, "warmup_steps": 100, "schedule": "cosine"},
            ValueError,
            "warmup_steps=100 leaves none of the steps=100 for the cosine",
        ),
        ({"schedule": "linear"}, ValueError, "schedule='linear'"),
        ({"d_model": 4}, ValueError, "d_model=4 is out of range; .* 8 to 4096"),
    ],
)
def test_bad_arguments_are_refused(
    arguments: dict[str, Any], error: type[Exception], rule: str
) -> None:
    with pytest.raises(error, match=rule):
        ScheduleExplorer(**arguments)


@pytest.mark.parametrize("schedule", ["constant", "paper", "cosine"])
def test_the_config_is_the_schedule_that_is_shown(schedule: str) -> None:
    explorer = ScheduleExplorer(200, 0.01, 50, schedule)
    config = explorer.config()
    assert (config.steps, config.warmup_steps, config.schedule) == (200, 50, schedule)
    assert learning_rate(50, config) == pytest.approx(0.01)


def test_the_width_gives_the_rate_of_the_paper_alone() -> None:
    explorer = ScheduleExplorer(10_000, 1e-3, 4_000, d_model=512)
    assert explorer.peak() == pytest.approx(6.99e-4, abs=1e-6)  # the base model of the paper
    # Equation 3 as printed.
    for step in (1, 100, 4_000, 9_000):
        formula = 512**-0.5 * min(step**-0.5, step * 4_000**-1.5)
        assert learning_rate(step, explorer.config()) == pytest.approx(formula)
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


def test_what_python_changes_is_checked() -> None:
    explorer = ScheduleExplorer(200, 0.01, 50)
    for name, value, rule in [
        ("steps", 1, "steps=1 is out of range; choose 2 to"),
        ("step", 201, "step=201 is out of range; choose 1 to 200"),
        ("learning_rate", 20.0, "learning_rate=20.0 is out of range; choose 1e-07 to 10"),
        ("d_model", 5000, "d_model=5000 is out of range; choose 8 to 4096"),
        ("schedule", "linear", "linear"),
    ]:
        with pytest.raises(TraitError, match=rule):
            setattr(explorer, name, value)


def test_the_text_says_the_rates() -> None:
    explorer = ScheduleExplorer(400, 0.01, 100)
    assert explorer._repr_mimebundle_()[0]["text/plain"].splitlines() == [
        "Learning rate, schedule paper: 400 steps, of which 100 warm up, highest rate 0.01.",
        "step 1 0.0001; step 100 0.01; step 200 0.00707; step 400 0.005.",
    ]
    explorer.d_model = 16
    assert "highest rate 0.025 = 1/√(d_model 16 · 100)" in explorer._alt_text()
