"""What was promised of the course, and the tables of it in the README and the manuals."""

import re
from pathlib import Path

import pytest

from benchmarks.harness import Measured
from benchmarks.table import PAGES, SHOWN, broken, on_gpus, slowest, table, timed, with_table


@pytest.mark.parametrize(
    ("value", "kept"), [(0.5, False), (1.0, True), (1.5, True), (2.0, True), (2.1, False)]
)
def test_a_figure_keeps_both_its_bounds(value: float, kept: bool) -> None:
    assert Measured("a figure", value, most=2.0, least=1.0).kept is kept


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_the_table_that_the_results_give(page: Path) -> None:
    text, rows = page.read_text("utf-8"), PAGES[page]()
    assert text == with_table(text, rows), "run `python -m benchmarks.table --write`"
    assert rows in text


def test_the_readme_shows_few_rows_and_every_broken_promise() -> None:
    rows = table().splitlines()[2:]
    assert len(rows) == max(SHOWN, len(broken()) + len(on_gpus()))
    for figure in broken():
        assert any(r.startswith(f"| {figure['what']} ") and "**missed**" in r for r in rows)


@pytest.mark.parametrize("device", timed())
def test_a_gpu_is_shown_by_the_shape_where_it_is_slowest(device: str) -> None:
    ours = slowest(device, "forward", "flash")
    speeds = [row for row in timed()[device] if "forward" in row["what"]]
    assert ours.value == min(row["ours"] / row["flash"] for row in speeds)
    assert any(ours.shown in row and ("**missed**" in row) >= (not ours.kept) for row in on_gpus())


def test_each_version_names_its_commit() -> None:
    changes = (Path(__file__).parents[1] / "CHANGELOG.md").read_text("utf-8")
    first, *released = re.findall("^## (.*)$", changes, re.MULTILINE)
    assert re.fullmatch(r"[\d.]+, not yet released|[\d.]+, [\d-]+", first)
    for heading in released:
        assert re.fullmatch(r"[\d.]+, \d{4}-\d\d-\d\d, commit [0-9a-f]{7,}", heading), heading
