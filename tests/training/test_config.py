import pytest

from transformer_lesson.training import TrainingConfig, learning_rate


def test_the_paper_s_schedule() -> None:
    """Vaswani et al. 2017, equation 3."""
    width, warmup = 512, 4000
    config = TrainingConfig(
        steps=100_000, learning_rate=(width * warmup) ** -0.5, warmup_steps=warmup, schedule="paper"
    )
    for step in (1, 100, 3999, 4000, 4001, 50_000):
        wanted = width**-0.5 * min(step**-0.5, step * warmup**-1.5)
        assert learning_rate(step, config) == pytest.approx(wanted)


def test_half_a_cosine_ends_just_after_the_last_step() -> None:
    config = TrainingConfig(steps=100, learning_rate=1.0, warmup_steps=10, schedule="cosine")
    rates = [learning_rate(step, config) for step in range(1, 101)]
    assert rates[:10] == pytest.approx([k / 10 for k in range(1, 11)])
    assert rates[9:] == sorted(rates[9:], reverse=True)
    assert 0 < rates[-1] < 1e-3
    middle = 10 + (101 - 10) / 2
    assert learning_rate(round(middle), config) == pytest.approx(0.5, abs=0.01)


def test_constant_after_the_warm_up() -> None:
    config = TrainingConfig(steps=9, learning_rate=0.5, warmup_steps=2)
    assert [learning_rate(step, config) for step in (1, 2, 3, 9)] == [0.25, 0.5, 0.5, 0.5]


def test_stable_until_it_falls_in_a_straight_line() -> None:
    config = TrainingConfig(
        steps=8, learning_rate=1.0, warmup_steps=2, schedule="stable", decay_steps=3
    )
    rates = [learning_rate(step, config) for step in range(1, 9)]
    assert rates == [0.5, 1, 1, 1, 1, 0.75, 0.5, 0.25]
