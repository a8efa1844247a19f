"""Where a notebook leads: a last line with links to what comes before and after it.

``python -m authoring.onward NOTEBOOK…`` writes the line at the end of the last cell of the named
lessons and labs, in place of the one that is there; without names, of all of them.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import nbformat

from authoring import named
from authoring.times import NOTEBOOKS, course, parts_of

LESSONS = [path for path in course() if path.parent == NOTEBOOKS]
# A rule above the line sets it apart; only this script writes one at the end of a notebook.
LINE = re.compile(r"\n*---\n\n[^\n]*\Z")


def line_of(path: Path) -> str:
    """Return the line that belongs at the end of a lesson or a lab."""
    lesson, *parts = parts_of(path.name[:2])
    exercises = [part for part in parts if part.parent.name == "exercises"]
    if path != lesson:
        return f"Back to {_link(lesson, path)}"
    place = LESSONS.index(lesson)
    before, after = LESSONS[:place][-1:], LESSONS[place + 1 :][:1]
    steps = [f"Previous: {_link(each, path)}" for each in before]
    steps += [_link(each, path) for each in exercises]
    steps += [f"Next: {_link(each, path)}" for each in after]
    return " · ".join(steps)


def _link(to: Path, here: Path) -> str:
    address = Path(os.path.relpath(to, here.parent)).as_posix()
    return f"[{title_of(to)}]({address})"


def title_of(path: Path) -> str:
    """Return the heading of a notebook."""
    first: str = nbformat.read(path, as_version=4).cells[0].source
    return first.splitlines()[0].removeprefix("# ")


def with_line(source: str, line: str) -> str:
    """Return the source of a last cell with ``line`` at its end, in place of an older one."""
    return f"{LINE.sub('', source.rstrip())}\n\n---\n\n{line}"


def write(path: Path) -> None:
    """Put the line into a notebook.

    Raises:
        ValueError: the last cell is code.
    """
    notebook = nbformat.read(path, as_version=4)
    last = notebook.cells[-1]
    if last.cell_type != "markdown":
        raise ValueError(f"{path.name} ends in code; end it with what was learned.")
    last.source = with_line(last.source, line_of(path))
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def main(names: Sequence[str]) -> None:
    """Write the line into the named notebooks, or into all lessons and labs."""
    everything = [path for path in course() if path.is_relative_to(NOTEBOOKS)]
    for path in [Path(name).resolve() for name in names] or everything:
        write(path)


if __name__ == "__main__":
    main(named(__doc__))
