"""How long a lesson or lab takes a learner, computed from what stands in it.

``python -m authoring.times`` prints a table; with ``--write`` the times are put into the notebooks,
the map of lesson 00 and that of the README. Times of exercises come from the catalogue.

The rates are those of slow, careful reading: 150 words a minute (Brysbaert 2019 finds 238 for
non-fiction without formulas), ten lines of code a minute, a minute to answer a question before
reading on. What the computer needs is added as the notebook states it.
"""

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import nbformat
from rich.console import Console
from rich.table import Table

from authoring.execute import ROOT

WORDS_A_MINUTE, LINES_A_MINUTE, MINUTES_A_QUESTION = 150, 10, 1
STATED = re.compile(r"(\*\*Time[^*]*\*\* (?:about )?)(\d+)( minutes(?:, (\d+) of them)?)")
# Formulas, code, addresses, tags, and the line at the end that leads on.
NOT_READ = re.compile(
    r"\$\$.*?\$\$|\$[^$]*\$|```.*?```|\]\([^)]*\)|<[^>]*>|\n---\n\n[^\n]*\Z", re.DOTALL
)
QUESTION = re.compile(r"\?\**\s*$", re.MULTILINE)  # one that ends a paragraph waits for an answer
NOTEBOOKS = ROOT / "notebooks"
START = NOTEBOOKS / "00_start_here.ipynb"
READ_ME = ROOT / "README.md"


@dataclass(frozen=True)
class Content:
    """What takes time in a notebook: counts, and the computer's minutes as the notebook says."""

    cells: int
    words: int
    lines: int
    questions: int
    running: int

    @property
    def minutes(self) -> int:
        """The time of a learner who reads everything, rounded to a minute."""
        reading = self.words / WORDS_A_MINUTE + self.lines / LINES_A_MINUTE
        return round(reading + self.questions * MINUTES_A_QUESTION + self.running)


def course() -> list[Path]:
    """Return the lessons, labs and exercises: the notebooks that the map of the README names.

    Whatever else lies in their folders is the reader's own: notes, and what ``reset`` has kept.
    """
    text = READ_ME.read_text(encoding="utf-8")
    return [
        ROOT / name for name in re.findall(r"\]\(((?:notebooks|exercises)/[\w/]+\.ipynb)\)", text)
    ]


def timed() -> list[Path]:
    """Return the lessons and labs but lesson 00, a page on which one looks around."""
    return sorted(path for path in course() if path.is_relative_to(NOTEBOOKS) and path != START)


def content(path: Path) -> Content:
    """Count what a notebook holds."""
    cells = nbformat.read(path, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    return Content(
        cells=len(cells),
        words=len(NOT_READ.sub("", prose).split()),
        lines=sum(bool(line.strip()) for line in code.splitlines()),
        questions=len(QUESTION.findall(prose)),
        running=int(found[4] or 0) if (found := STATED.search(prose)) else 0,
    )


def prose_of(path: Path) -> str:
    """Return all markdown of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def stated(path: Path) -> int:
    """Return the minutes that a notebook gives itself.

    Raises:
        ValueError: it gives none.
    """
    found = STATED.search(prose_of(path))
    if not found:
        raise ValueError(f"{path.name} does not say '**Time:** N minutes' anywhere.")
    return int(found[2])


def parts_of(lesson: str) -> list[Path]:
    """Return the lesson, its labs and its exercises, as far as they exist, by its two digits."""
    return [path for path in course() if path.name.startswith(f"{lesson}_")]


def write() -> None:
    """Put the computed times into the notebooks and both maps."""
    for path in timed():
        _replace_in_cells(path, partial(STATED.sub, rf"\g<1>{content(path).minutes}\g<3>", count=1))
    _replace_in_cells(START, _with_times)
    READ_ME.write_text(_with_times(READ_ME.read_text(encoding="utf-8")), encoding="utf-8")


def _with_times(text: str) -> str:
    """A map whose last column holds the times of the lesson, its labs and its exercises."""

    def row(found: re.Match[str]) -> str:
        times = " + ".join(str(stated(path)) for path in parts_of(found[2]))
        return f"{found[1]}{times} min |"

    return re.sub(r"^(\| (\d\d) \|.*\| )[\d +]+ min \|$", row, text, flags=re.MULTILINE)


def _replace_in_cells(path: Path, change: Callable[[str], str]) -> None:
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = change(cell.source)
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def main() -> None:
    """Print what each notebook holds and takes."""
    parser = argparse.ArgumentParser("python -m authoring.times", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the times where they are stated")
    if parser.parse_args().write:
        write()
    table = Table("notebook", "cells", "words", "lines", "questions", "minutes", "stated")
    for path in timed():
        it = content(path)
        numbers = (it.cells, it.words, it.lines, it.questions, it.minutes, stated(path))
        table.add_row(str(path.relative_to(NOTEBOOKS)), *map(str, numbers))
    Console().print(table)


if __name__ == "__main__":
    main()
