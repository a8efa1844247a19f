"""Seconds that each lesson, lab and solution takes from top to bottom, kernel start included.

At the end stand the cells that take longest. ``python -m benchmarks.lessons 07_training`` runs one.
"""

import sys
from collections.abc import Iterator
from datetime import datetime

import nbformat
from nbformat import NotebookNode

from authoring.execute import FOLDERS, ROOT, client_of
from benchmarks.harness import promise, run, seconds

PROMISED = {"02_self_attention": 40.0, "10_translation": 480.0}
OTHERWISE = 180.0
CELLS = 10


def cells(notebook: NotebookNode) -> Iterator[tuple[float, str]]:
    """Return the seconds of each cell that was run, and its id."""
    for cell in notebook.cells:
        # When the kernel took the cell and when it answered, as nbclient notes them.
        if times := cell.metadata.get("execution"):
            began, ended = (
                datetime.fromisoformat(times[name])
                for name in ("iopub.execute_input", "shell.execute_reply")
            )
            yield (ended - began).total_seconds(), cell.id


def main() -> None:
    """Print seconds beside what is promised, then the slowest cells of all."""
    every = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.ipynb"))]
    taken_by_cells = []
    for path in every:
        if sys.argv[1:] and path.stem not in sys.argv[1:]:
            continue
        name, notebook = path.relative_to(ROOT).with_suffix(""), nbformat.read(path, as_version=4)
        taken = seconds(client_of(notebook, path.parent).execute)
        most = PROMISED.get(path.stem, OTHERWISE)
        promise(f"{name} from top to bottom", taken, most=most, unit="s")
        taken_by_cells += [(taken, f"{name}, cell {cell}") for taken, cell in cells(notebook)]
    for taken, where in sorted(taken_by_cells, reverse=True)[:CELLS]:
        print(f"{taken:6.1f} s  {where}")


if __name__ == "__main__":
    run(main)
