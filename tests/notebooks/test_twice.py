"""Every cell can be run twice: the finder of those that cannot, and the quickest lesson.

All lessons and labs: ``python -m authoring.twice``.
"""

from pathlib import Path

import nbformat
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


def test_a_cell_that_takes_its_own_input_away_is_found(tmp_path: Path) -> None:
    path = notebook(tmp_path, ("words = {'cat': 1}", ""), ("words = words.pop('cat')", ""))
    assert [fault.partition(":")[0] for fault in faults(path)] == ["cell 1"]


def test_a_cell_that_adds_up_is_found(tmp_path: Path) -> None:
    path = notebook(tmp_path, ("total = 0", ""), ("total += 1\nprint(total)", "1\n"))
    assert [fault[:6] for fault in faults(path)] == ["cell 1"]


def test_a_cell_that_can_be_run_again_is_not(tmp_path: Path) -> None:
    assert not list(faults(notebook(tmp_path, ("print(1)", "1\n"), ("print(2)", "2\n"))))


def test_the_start_page() -> None:
    assert not list(faults(ROOT / "notebooks/00_start_here.ipynb"))
