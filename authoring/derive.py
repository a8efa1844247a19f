"""Derive exercises/ from solutions/: the same cells, with the answers taken out.

The work is done by nbgrader's own steps, so the result is cell for cell what
``nbgrader generate_assignment`` would release.
"""

import hashlib
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LockCells,
)

ROOT = Path(__file__).resolve().parents[1]
STEPS = (
    CheckCellMetadata,
    ClearSolutions,
    LockCells,
    ClearOutput,
    ClearHiddenTests,
    ClearMarkScheme,
    ComputeChecksums,
)


def derive(solution: Path) -> NotebookNode:
    """Return the exercise notebook that belongs to a solution notebook."""
    notebook = nbformat.read(solution, as_version=4)
    resources = {"nbgrader": {}, "unique_key": solution.stem}
    for step in STEPS:
        notebook, resources = step().preprocess(notebook, resources)
    notebook.metadata["transformer_lesson"] = {"derived": fingerprint(notebook)}
    return notebook


def fingerprint(notebook: NotebookNode) -> str:
    """Condense the sources of all cells: it changes as soon as a learner types anything."""
    sources = "\0".join(cell.source for cell in notebook.cells)
    return hashlib.sha256(sources.encode()).hexdigest()[:16]


def edited(path: Path) -> bool:
    """Say whether somebody has typed in an exercise notebook since it was derived."""
    try:
        notebook = nbformat.read(path, as_version=4)
    except nbformat.reader.NotJSONError:
        return True  # it is damaged, but it is somebody's
    derived = notebook.metadata.get("transformer_lesson", {}).get("derived")
    return fingerprint(notebook) != derived


def write(solution: Path, folder: Path) -> str:
    """Write the exercise notebook of ``solution`` into ``folder`` and say what was done.

    A notebook that holds a learner's work is kept as it is.
    """
    target = folder / solution.name
    text = nbformat.writes(derive(solution)) + "\n"
    if target.exists():
        if edited(target):
            return (
                f"{target.name}: kept, because somebody has typed in it. "
                "For a fresh copy rename it and run this again."
            )
        if target.read_text(encoding="utf-8") == text:
            return f"{target.name}: unchanged"
    target.write_text(text, encoding="utf-8")
    return f"{target.name}: written"


def main() -> None:
    """Derive every exercise notebook."""
    folder = ROOT / "exercises"
    folder.mkdir(exist_ok=True)
    for solution in sorted((ROOT / "solutions").glob("*.ipynb")):
        print(write(solution, folder))


if __name__ == "__main__":
    main()
