"""Run the cells of notebooks twice each: a learner does, and no cell may mind.

``python -m authoring.twice [FILES]`` runs every lesson and lab, or those named. Each cell must run
a second time without an error and print what is stored, unless its output is not compared.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from authoring import named
from authoring.execute import NOT_COMPARED, ROOT, client_of, strip


def faults(path: Path) -> Iterator[str]:
    """Run each cell of a notebook twice; yield what went wrong, cells counted from 0."""
    stored = nbformat.read(path, as_version=4)
    fresh = nbformat.from_dict(stored)
    client = client_of(fresh, path.parent)
    with client.setup_kernel():
        for number, cell in enumerate(fresh.cells):
            try:
                client.execute_cell(cell, number)
                client.execute_cell(cell, number)
            except CellExecutionError as problem:
                yield f"cell {number}: {str(problem).strip().splitlines()[-1]}"
                return
    for number, (old, new) in enumerate(zip(stored.cells, strip(fresh).cells, strict=True)):
        if printed(old) != printed(new):
            yield f"cell {number} prints something else than what is stored: {printed(new)!r}"


def printed(cell: NotebookNode) -> str:
    """Return the text that a cell printed; nothing where outputs are not compared."""
    if NOT_COMPARED in cell.metadata.get("tags", []):
        return ""
    return "".join(o.text for o in cell.get("outputs", []) if o.output_type == "stream")


def main(names: Sequence[str]) -> int:
    """Print the faults; return 1 if there are any."""
    everything = sorted((ROOT / "notebooks").rglob("*.ipynb"))
    found = False
    for path in [Path(name).resolve() for name in names] or everything:
        print(f"{path.name}: every cell twice …", flush=True)
        for fault in faults(path):
            print(f"  {fault}", flush=True)
            found = True
    return int(found)


if __name__ == "__main__":
    sys.exit(main(named(__doc__)))
