"""The map of the course, in the README and in lesson 00, and where the links of notebooks lead."""

import re
from pathlib import Path

import nbformat
import pytest

from authoring.execute import ROOT

START = ROOT / "notebooks" / "00_start_here.ipynb"
LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAGES = [*LESSONS, *sorted((ROOT / "exercises").glob("*.ipynb"))]


def text(path: Path) -> str:
    """All prose of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def rows(prose: str) -> list[list[str]]:
    """The rows of the map: number, name, question, time."""
    return [line.strip("| ").split(" | ") for line in re.findall(r"^\| \d\d \|.*$", prose, re.M)]


def minutes(path: Path) -> str:
    """What a notebook says of itself."""
    found = re.search(r"\*\*Time[^*]*\*\* (?:about )?(\d+) minutes", text(path))
    assert found, path
    return found[1]


def test_both_maps_are_one() -> None:
    plain = [
        [[re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", word) for word in row] for row in rows(prose)]
        for prose in (text(START), (ROOT / "README.md").read_text(encoding="utf-8"))
    ]
    assert plain[0] == plain[1]


def test_the_map_names_every_lesson_with_its_time() -> None:
    times = {row[0]: row[3] for row in rows(text(START))}
    for path in LESSONS:
        exercises = ROOT / "exercises" / path.name
        parts = [minutes(page) for page in (path, exercises) if page.exists()]
        assert times[path.name[:2]] == f"{' + '.join(parts)} min"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_links_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(((?!https?:)[^)#]+)\)", text(path)):
        assert (path.parent / link).exists(), link
