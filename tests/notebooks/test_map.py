"""The map of the course, in the README and in lesson 00, its times, and where links lead."""

import re
from pathlib import Path

import nbformat
import pytest

from authoring.execute import ROOT
from authoring.onward import line_of, with_line
from authoring.times import READ_ME, START, content, course, parts_of, stated, timed
from authoring.times import prose_of as text

LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LABS = sorted((ROOT / "notebooks/labs").glob("*.ipynb"))
EXERCISES = [
    ROOT / "exercises" / path.name for path in sorted((ROOT / "solutions").glob("*.ipynb"))
]
PAGES = [*LESSONS, *LABS, *EXERCISES]
# A lesson is the path to the part that it builds: one sitting. What goes deeper is a lab.
MOST_CELLS, MOST_MINUTES = 70, 65


def rows(prose: str) -> list[list[str]]:
    """The rows of the map: number, name, question, time."""
    return [line.strip("| ").split(" | ") for line in re.findall(r"^\| \d\d \|.*$", prose, re.M)]


def test_the_start_page_begins_with_the_translator() -> None:
    cells = nbformat.read(START, as_version=4).cells
    first = next(cell for cell in cells if cell.cell_type == "code")
    assert cells.index(first) == 1
    assert "sentence-explorer-page" in first.outputs[0].data["text/html"]


def test_both_maps_are_one() -> None:
    plain = [
        [[re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", word) for word in row] for row in rows(prose)]
        for prose in (text(START), READ_ME.read_text(encoding="utf-8"))
    ]
    assert plain[0] == plain[1]


def test_the_map_names_every_lesson_with_its_time() -> None:
    times = {row[0]: row[3] for row in rows(text(START))}
    for path in LESSONS:
        parts = [str(stated(part)) for part in parts_of(path.name[:2])]
        assert times[path.name[:2]] == f"{' + '.join(parts)} min", (
            "python -m authoring.times --write"
        )


def test_the_map_names_every_notebook_but_the_copies_of_a_reader() -> None:
    kept = ROOT / "exercises" / "02_self_attention.copy_2026-01-31_120000.ipynb"
    kept.write_text("what reset keeps", encoding="utf-8")
    try:
        assert sorted(course()) == sorted(PAGES)
        assert kept not in parts_of("02")
    finally:
        kept.unlink()


@pytest.mark.parametrize("path", timed(), ids=lambda path: path.stem)
def test_a_time_is_computed_and_a_lesson_is_one_sitting(path: Path) -> None:
    found = content(path)
    assert stated(path) == found.minutes, "python -m authoring.times --write"
    assert path in LABS or (found.cells <= MOST_CELLS and found.minutes <= MOST_MINUTES), found


@pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)
def test_a_lab_is_linked_from_its_lesson(path: Path) -> None:
    lesson, *_ = parts_of(path.name[:2])
    assert f"(labs/{path.name}" in text(lesson)
    assert f"(../{lesson.name}" in text(path)


@pytest.mark.parametrize("path", [*LESSONS, *LABS], ids=lambda path: path.stem)
def test_a_lesson_leads_on_and_a_lab_leads_back(path: Path) -> None:
    last = nbformat.read(path, as_version=4).cells[-1].source
    assert last == with_line(last, line_of(path)), "python -m authoring.onward"


def test_a_line_that_leads_on_is_replaced_and_the_text_above_it_kept() -> None:
    once = with_line("Learned.\n\n---\n\nA table follows a rule.\n\nEnd.", "Next: [x](x.ipynb)")
    assert once.endswith("A table follows a rule.\n\nEnd.\n\n---\n\nNext: [x](x.ipynb)")
    assert with_line(once, "Next: [y](y.ipynb)") == once.replace("[x](x.ipynb)", "[y](y.ipynb)")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_links_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(((?!https?:)[^)#]+)\)", text(path)):
        assert (path.parent / link).exists(), link
