"""How long a lesson or lab takes a learner, computed from what stands in it.

``python -m authoring.times`` prints a table; with ``--write`` the times are put into the notebooks,
the map of lesson 00 and the README, and there the number of exercises. Their times come from the
catalogue.

The rates are those of slow, careful reading: 150 words a minute (Brysbaert 2019 finds 238 for
non-fiction without formulas), ten lines of code a minute, twenty of what it prints, half a minute
for a figure, a minute for a view and for a question that is answered before reading on. What the
computer needs is added as the notebook states it.

The core way through the course is all lessons, without the sections that the head of each names,
and the exercises of importance 5; no labs.
"""

import argparse
import re
from collections.abc import Callable
from dataclasses import astuple, dataclass, fields
from functools import cache, partial
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from rich.console import Console
from rich.table import Table

from authoring.execute import ROOT
from transformer_checks import catalogue

WORDS_A_MINUTE, LINES_A_MINUTE, PRINTED_A_MINUTE = 150, 10, 20
MINUTES_A_FIGURE, MINUTES_A_VIEW, MINUTES_A_QUESTION = 0.5, 1, 1
STATED = re.compile(r"(\*\*Time[^*]*\*\* (?:about )?)(\d+)( minutes(?:, (\d+) of them)?)")
LEFT_OUT = re.compile(r"(\*\*Core way:\*\* without sections? ([\d, and]+): )(\d+)( minutes)")
SECTION = re.compile(r"## (?:(\d+)\. )?")
COUNT = re.compile(r"(exercises, )\d+( in all,)")
HOURS = re.compile(r"\b(\d+)( hours (in all|on the core way))")
# Formulas, code, addresses, tags, and the line at the end that leads on.
NOT_READ = re.compile(
    r"\$\$.*?\$\$|\$[^$]*\$|```.*?```|\]\([^)]*\)|<[^>]*>|\n---\n\n[^\n]*\Z", re.DOTALL
)
QUESTION = re.compile(r"\?\**\s*$", re.MULTILINE)  # one that ends a paragraph waits for an answer
NOTEBOOKS = ROOT / "notebooks"
START = NOTEBOOKS / "00_start_here.ipynb"
READ_ME = ROOT / "README.md"
ROW = re.compile(r"^\| (\d\d) \|.*$", re.MULTILINE)
LINK = re.compile(r"\]\(([\w./]+\.ipynb)\)")


@dataclass(frozen=True)
class Content:
    """What takes time in a notebook: counts, and the computer's minutes as the notebook says."""

    cells: int
    words: int
    lines: int
    printed: int
    figures: int
    views: int
    questions: int
    running: int

    @property
    def minutes(self) -> int:
        """The time of a learner who reads everything, rounded to a minute."""
        reading = self.words / WORDS_A_MINUTE + self.lines / LINES_A_MINUTE
        looking = self.figures * MINUTES_A_FIGURE + self.views * MINUTES_A_VIEW
        looking += self.printed / PRINTED_A_MINUTE
        return round(reading + looking + self.questions * MINUTES_A_QUESTION + self.running)


def course() -> list[Path]:
    """Return the lessons, labs and exercises: lesson 00, and what its map names.

    Whatever else lies in their folders is the reader's own: notes, and what ``reset`` has kept.
    """
    return list(_mapped())


@cache
def _mapped() -> tuple[Path, ...]:
    rows = (row[0] for row in ROW.finditer(prose_of(START)))
    return START, *((NOTEBOOKS / name).resolve() for row in rows for name in LINK.findall(row))


def timed() -> list[Path]:
    """Return the lessons and labs but lesson 00, a page on which one looks around."""
    return sorted(path for path in course() if path.is_relative_to(NOTEBOOKS) and path != START)


def content(path: Path) -> Content:
    """Count what a notebook holds."""
    return _content(nbformat.read(path, as_version=4).cells)


def core_minutes(path: Path) -> int:
    """Return the time of a lesson without the sections that its head leaves out of the core way."""
    cells = nbformat.read(path, as_version=4).cells
    found = LEFT_OUT.search(cells[0].source)
    left_out, kept, section = set(re.findall(r"\d+", found[2] if found else "")), [], None
    for cell in cells:
        if cell.cell_type == "markdown" and (heading := SECTION.match(cell.source)):
            section = heading[1]
        if section not in left_out:
            kept.append(cell)
    return _content(kept).minutes


def hours() -> dict[str, int]:
    """Return how long the course takes, in full hours: "in all" and "on the core way"."""
    lessons = [path for path in timed() if path.parent == NOTEBOOKS]
    exercises = [check for name in catalogue.LESSONS for check in catalogue.of_lesson(name)]
    core = sum(map(core_minutes, lessons)) + sum(one.minutes for one in exercises if one.core)
    minutes = {"in all": sum(map(stated, course())), "on the core way": stated(START) + core}
    return {way: round(total / 60) for way, total in minutes.items()}


def _content(cells: list[NotebookNode]) -> Content:
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    code = [cell for cell in cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    views = sum("<script" in output.get("data", {}).get("text/html", "") for output in outputs)
    pictures = sum("image/png" in output.get("data", {}) for output in outputs)
    return Content(
        cells=len(cells),
        words=len(NOT_READ.sub("", prose).split()),
        lines=_lines("\n".join(cell.source for cell in code)),
        printed=sum(map(_printed, outputs)),
        figures=pictures - views,  # each view has a picture beside it
        views=views,
        questions=len(QUESTION.findall(prose)),
        running=int(found[4] or 0) if (found := STATED.search(prose)) else 0,
    )


def _printed(output: NotebookNode) -> int:
    """Lines of text or rows of a table; the text of a figure is read by no one who sees it."""
    data = output.get("data", {})
    return 0 if "image/png" in data else _lines(output.get("text") or data.get("text/plain", ""))


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


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
    """Put the computed times into the notebooks, their map and the README."""
    for path in timed():
        _replace_in_cells(path, partial(STATED.sub, rf"\g<1>{content(path).minutes}\g<3>", count=1))
        _replace_in_cells(path, partial(LEFT_OUT.sub, rf"\g<1>{core_minutes(path)}\g<4>"))
    _replace_in_cells(START, _with_times)
    READ_ME.write_text(_with_times(READ_ME.read_text(encoding="utf-8")), encoding="utf-8")


def _with_times(text: str) -> str:
    """The text with the hours and exercises of the course, and the times of each lesson."""
    whole = hours()

    def row(found: re.Match[str]) -> str:
        times = " + ".join(str(stated(path)) for path in parts_of(found[2]))
        return f"{found[1]}{times} min |"

    text = COUNT.sub(rf"\g<1>{len(catalogue.LESSON_OF)}\g<2>", text)
    text = HOURS.sub(lambda found: f"{whole[found[3]]}{found[2]}", text)
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
    table = Table("notebook", *(field.name for field in fields(Content)), "minutes", "core")
    for path in timed():
        it = content(path)
        core = core_minutes(path) if path.parent == NOTEBOOKS else 0
        numbers = (*astuple(it), it.minutes, core)
        table.add_row(str(path.relative_to(NOTEBOOKS)), *map(str, numbers))
    Console(width=120).print(table, hours())


if __name__ == "__main__":
    main()
