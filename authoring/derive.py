"""Derive from solutions/ the exercises, and the answers that the checks compare with.

What the catalogue says of the exercises is put into ``solutions/`` first (``authoring.stated``).
``exercises/`` holds the same cells with the answers taken out. The work is done by nbgrader's own
steps, so the result is cell for cell what ``nbgrader generate_assignment`` would release.

``transformer_checks/catalogue/solutions/`` holds the code of the answers: the reference of each
exercise, whose edits are its slips. It is part of the package, so that a class and a wheel without
``solutions/`` have it too.
"""

import hashlib
import re
from collections.abc import Sequence
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

from authoring import named
from authoring.stated import with_figures
from notebook_judge.checks.solutions import ANSWER, GIVEN, MARK
from transformer_checks import COURSE
from transformer_checks.catalogue import of_lesson

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


_CHECK = re.compile(r'^check\("(.+?)"', re.MULTILINE)
_LOOK = "look"  # tag of a cell that shows something, and that no answer needs
_TWO_LINES = re.compile(r"\n{4,}")
# What only a learner needs, or only the release of the notebook.
_OF_THE_NOTEBOOK = re.compile(
    r"^(\s*### (BEGIN|END) SOLUTION|use_interpreter\(\).*"
    r"|from transformer_lesson\.(checks|flash\.interpret) import .*)\n?",
    re.MULTILINE,
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
        return True  # damaged, but still somebody's work
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


def answers(solution: Path) -> str:
    """Return the code of a solution notebook, with a section for each exercise."""
    sections = [f"# Derived from solutions/{solution.name} by `make exercises`."]
    answered: list[tuple[str, str]] = []  # cells of the exercise whose check is still to come
    for cell in nbformat.read(solution, as_version=4).cells:
        if cell.cell_type != "code" or _LOOK in cell.metadata.get("tags", []):
            continue
        roles = cell.metadata.get("nbgrader", {})
        found = _CHECK.search(cell.source)
        if roles.get("grade") and found:
            sections.append(f"{MARK}{found[1]}\n" + _section(answered))
            answered = []
        elif answered or roles or any(line.startswith(MARK) for line in sections):
            answered.append((ANSWER if roles else GIVEN, _code(cell.source)))
        else:  # imports, which belong to no exercise
            sections.append(_code(cell.source))
    return "\n\n\n".join(filter(None, sections)) + "\n"


def _section(cells: Sequence[tuple[str, str]]) -> str:
    """The cells of an exercise; those that are given are marked, and what follows them."""
    text, last = "", ANSWER
    for mark, source in cells:
        text += f"\n\n\n{mark}\n" * (mark != last) or "\n\n\n"
        text, last = text + source, mark
    return text.lstrip("\n")


def _code(source: str) -> str:
    return _TWO_LINES.sub("\n\n\n", _OF_THE_NOTEBOOK.sub("", source)).strip()


def write_answers(solution: Path, folder: Path = COURSE.solutions) -> str:
    """Write the answers of ``solution`` into ``folder`` and say what was done."""
    target, text = folder / f"{solution.stem}.txt", answers(solution)
    if target.exists() and target.read_text(encoding="utf-8") == text:
        return f"{target.name}: unchanged"
    target.write_text(text, encoding="utf-8")
    return f"{target.name}: written"


def state(solution: Path) -> str:
    """Put what the catalogue says into a solution notebook, and say what was done."""
    notebook = nbformat.read(solution, as_version=4)
    if (stated := with_figures(notebook, of_lesson(solution.stem))) == notebook:
        return f"{solution.name}: states what the catalogue says"
    nbformat.write(stated, solution)
    return f"{solution.name}: points and minutes put right"


def main() -> None:
    """Derive every exercise notebook, and every file of answers."""
    folder = ROOT / "exercises"
    for made in (folder, COURSE.solutions):
        made.mkdir(exist_ok=True)
    for solution in sorted((ROOT / "solutions").glob("*.ipynb")):
        print(state(solution))
        print(write(solution, folder))
        print(write_answers(solution))


if __name__ == "__main__":
    named(__doc__, most=0)
    main()
