"""Every cell can be run twice: the finder of those that cannot, and the quickest lesson.

All lessons and labs: ``python -m authoring.twice``.
"""

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from authoring.execute import ROOT
from authoring.twice import faults


def notebook(folder: Path, *cells: tuple[str, str]) -> Path:
    path = folder / "cells.ipynb"
    made = [
        new_code_cell(source, outputs=[new_output("stream", text=text)] if text else [])
        for source, text in cells
    ]
    nbformat.write(new_notebook(cells=made), path)
    return path


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ((("words = {'cat': 1}", ""), ("words = words.pop('cat')", "")), ["cell 1"]),
        ((("total = 0", ""), ("total += 1\nprint(total)", "1\n")), ["cell 1"]),
        ((("print(1)", "1\n"), ("print(2)", "2\n")), []),
    ],
    ids=["takes its own input away", "adds up", "can be run again"],
)
def test_a_cell_that_cannot_be_run_twice_is_found(
    cells: tuple[tuple[str, str], ...], found: list[str], tmp_path: Path
) -> None:
    assert [fault[:6] for fault in faults(notebook(tmp_path, *cells))] == found


@pytest.mark.rare
def test_the_start_page() -> None:
    assert not list(faults(ROOT / "notebooks/00_start_here.ipynb"))
