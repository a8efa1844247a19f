"""How dense the prose of a lesson is: words of a cell, numbers of a paragraph, figures of runs."""

import re
from pathlib import Path
from statistics import median

import nbformat
import pytest

from authoring.execute import ROOT

NOTEBOOKS = sorted(
    path for path in (ROOT / "notebooks").rglob("*.ipynb") if path.parent.name[0] != "."
)
MEDIAN_WORDS, MOST_WORDS, MOST_NUMBERS, MOST_SPREADS = 60, 200, 3, 2
# Code, formulas and addresses; years and what they cite; places in a text: none is a measurement.
NO_NUMBER = re.compile(
    r"```.*?```|`[^`]*`|\$[^$]*\$|\[\d+ runs\]|\]\([^)]*\)|https?://\S+"
    r"|N\(\d[^)]*\)|√\w+|\b[A-Z]\w*-\d\b|\bLlama \d\b"  # N(0, 1), √64, GPT-2
    r"|\b(?:1[5-9]|20)\d\d\b[a-z]?|§\s?[\d.]+(?:(?:,| and| to) §?[\d.]+)*"
    r"|\b(?i:section|lesson|lab|exercise|chapter|figure|table|eq\.|equation|algorithm|appendix"
    r"|version|theorem|step|row|column|head|token|place|position|word)s?"
    r" \d[\d.]*(?:(?:,| and| to| or) \d[\d.]*)*",
    re.DOTALL,
)
NUMBER = re.compile(r"(?<![\w.,^])\d[\d,.]*")
NO_PARAGRAPH = ("|", "```", "#", "$$")


def prose(path: Path) -> list[str]:
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "markdown"]


def numbers(paragraph: str) -> list[str]:
    """The numbers that a reader has to hold, in their order."""
    return NUMBER.findall(NO_NUMBER.sub(" ", paragraph))


def paragraphs(source: str) -> list[str]:
    """Paragraphs and items of lists; no tables, headings, code or formulas."""
    parts = re.split(
        r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", re.sub(r"```.*?```", "", source, flags=re.S)
    )
    return [
        re.sub(r"^\s*\d+\. ", "", part)
        for part in parts
        if part.strip() and not part.lstrip().startswith(NO_PARAGRAPH)
    ]


@pytest.mark.parametrize(
    ("paragraph", "found"),
    [
        ("Section 13 and lessons 02 to 05 (Hu 2023, §4.1) set `d=8`, $2^3$.", []),
        ("It takes 3 of 1,496, or 0.2 %, in GPT-2 and 10⁻³.", ["3", "1,496,", "0.2", "10"]),
    ],
)
def test_only_a_number_counts(paragraph: str, found: list[str]) -> None:
    assert numbers(paragraph) == found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_prose_is_short_and_numbers_are_rare(path: Path) -> None:
    cells = prose(path)
    words = [len(cell.split()) for cell in cells]
    assert median(words) <= MEDIAN_WORDS
    # The opening, and in lesson 00 the map of the course, are read at another pace.
    long = [cell[:60] for cell in cells[1:] if len(cell.split()) > MOST_WORDS]
    assert not [cell for cell in long if not cell.startswith("## The map")]
    crowded = [p for cell in cells for p in paragraphs(cell) if len(numbers(p)) > MOST_NUMBERS]
    assert not crowded
    code = nbformat.read(path, as_version=4).cells
    calls = sum(c.source.count("spread(") for c in code if c.cell_type == "code")
    assert calls <= MOST_SPREADS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_section_that_is_named_is_there(path: Path) -> None:
    """One of another notebook stands beside the name of that notebook, and is not looked for."""
    text = "\n".join(prose(path))
    other = r"(?<!lesson's )(?<!ipynb\), )(?<!lesson \d\d, )"
    named = re.findall(rf"{other}\b[Ss]ections? (\d+)(?! of \[)(?: to (\d+))?", text)
    there = {*re.findall(r"^## (\d+)\. ", text, re.MULTILINE), ""}
    assert {number for found in named for number in found} <= there
