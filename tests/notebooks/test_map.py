"""The map of the course, in the README and in lesson 00, its times, and where links lead."""

import re
from pathlib import Path

import nbformat
import pytest

from authoring.execute import ROOT
from authoring.onward import line_of, with_line
from authoring.times import (
    HOURS,
    LEFT_OUT,
    READ_ME,
    START,
    content,
    core_minutes,
    course,
    hours,
    parts_of,
    stated,
    timed,
)
from authoring.times import prose_of as text
from transformer_checks import catalogue

LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LABS = sorted((ROOT / "notebooks/labs").glob("*.ipynb"))
EXERCISES = [
    ROOT / "exercises" / path.name for path in sorted((ROOT / "solutions").glob("*.ipynb"))
]
PAGES = [*LESSONS, *LABS, *EXERCISES]


def rows(prose: str) -> list[list[str]]:
    """The rows of the map: number, name, question, time."""
    return [line.strip("| ").split(" | ") for line in re.findall(r"^\| \d\d \|.*$", prose, re.M)]


def test_the_start_page_begins_with_the_translator() -> None:
    cells = nbformat.read(START, as_version=4).cells
    first = next(cell for cell in cells if cell.cell_type == "code")
    assert cells.index(first) == 1
    assert "sentence-explorer-page" in first.outputs[0].data["text/html"]


def test_the_readme_has_the_lessons_and_questions_of_the_map() -> None:
    mapped = [
        [
            (number, *re.sub(r"[][]|\(.*?\)", "", names).split(", ")[:1], question)
            for number, names, question, *_ in rows(prose)
        ]
        for prose in (text(START), READ_ME.read_text(encoding="utf-8"))
    ]
    assert mapped[0] == mapped[1]


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
def test_a_time_is_computed(path: Path) -> None:
    assert stated(path) == content(path).minutes, "python -m authoring.times --write"
    if found := LEFT_OUT.search(text(path)):
        assert int(found[3]) == core_minutes(path) < stated(path), (
            "python -m authoring.times --write"
        )


def test_the_hours_of_the_course_are_computed() -> None:
    said = {found[3]: int(found[1]) for found in HOURS.finditer(text(START))}
    assert said == hours(), "python -m authoring.times --write"
    elsewhere = READ_ME.read_text(encoding="utf-8")
    assert {(f[3], int(f[1])) for f in HOURS.finditer(elsewhere)} <= set(hours().items())
    counted = f"exercises, {len(catalogue.LESSON_OF)} in all,"
    assert counted in elsewhere, "python -m authoring.times --write"


@pytest.mark.parametrize("path", [*LESSONS, *LABS], ids=lambda path: path.stem)
def test_a_section_begins_a_cell_and_one_that_is_named_is_there(path: Path) -> None:
    """One of another notebook stands beside the name of that notebook, and is not looked for."""
    prose = text(path)
    other = r"(?<!lesson's )(?<!ipynb\), )(?<!lesson \d\d, )"
    named = re.findall(rf"{other}\b[Ss]ections? (\d+)(?! of \[)(?: to (\d+))?", prose)
    named += [
        (number, "") for found in LEFT_OUT.findall(prose) for number in re.findall(r"\d+", found[1])
    ]
    there = {*re.findall(r"^## (\d+)\. ", prose, re.MULTILINE), ""}
    assert {number for found in named for number in found} <= there
    inside = [c.source for c in nbformat.read(path, 4).cells if "\n## " in c.source]
    assert not inside


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
    for link in re.findall(r"\]\(((?!https?:)[^)#]+)[#)]", text(path)):
        assert (path.parent / link).exists(), link
