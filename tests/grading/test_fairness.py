"""A busy machine takes no points, and neither does an earlier mistake: samples of the two gates."""

import pytest

from authoring import busy, carried
from transformer_checks import catalogue


@pytest.mark.parametrize("lesson", ["02_self_attention", "09_flash_attention"])
def test_a_busy_machine_takes_no_points(lesson: str) -> None:
    with busy.busy():
        assert not busy.by_the_grader(busy.SOLUTIONS / f"{lesson}.ipynb")


@pytest.mark.parametrize(
    ("exercise", "way"),
    [
        ("attention.softmax", "a loop without end"),
        ("attention.scores", "a wrong value"),
        ("tokens.merge", "nothing"),
        ("heads.split", "the end of the process"),
        ("encoder.layer", "a missing colon"),
        ("decoder.cross_attention", "another name"),
        ("attention.softmax", "globals left changed"),
        ("encoder.feed_forward", "an exit"),
        ("heads.merge", "right the first time"),
    ],
)
def test_what_builds_on_a_failed_exercise_loses_nothing(exercise: str, way: str) -> None:
    assert not list(carried.lost(catalogue.find(exercise), way))
