"""What was promised of the course, and the README's table of it."""

import re
from pathlib import Path

import pytest

from benchmarks.harness import Measured
from benchmarks.table import README, broken, table, with_table


@pytest.mark.parametrize(
    ("value", "kept"), [(0.5, False), (1.0, True), (1.5, True), (2.0, True), (2.1, False)]
)
def test_a_figure_keeps_both_its_bounds(value: float, kept: bool) -> None:
    assert Measured("a figure", value, most=2.0, least=1.0).kept is kept


def test_the_readme_has_the_table_that_the_results_give() -> None:
    text = README.read_text("utf-8")
    assert text == with_table(text), "run `python -m benchmarks.table --write`"
    assert table() in text


def test_a_broken_promise_stands_in_the_table() -> None:
    for figure in broken():
        assert re.search(rf"^\| {re.escape(figure['what'])} .*\*\*missed", table(), re.MULTILINE)


def test_each_version_names_its_commit() -> None:
    changes = (Path(__file__).parents[1] / "CHANGELOG.md").read_text("utf-8")
    first, *released = re.findall("^## (.*)$", changes, re.MULTILINE)
    assert re.fullmatch(r"[\d.]+, not yet released|[\d.]+, [\d-]+", first)
    for heading in released:
        assert re.fullmatch(r"[\d.]+, \d{4}-\d\d-\d\d, commit [0-9a-f]{7,}", heading), heading
