"""Answer cells: as the course ships them, as it solves them, and put back to the beginning.

Notebooks are read and written as the JSON that they are, so that nothing else in them changes.
"""

import json
import re
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from careful_io import replacing
from notebook_judge.checks.card import Card
from notebook_judge.grading.sandbox.reading import grade_id

# nbgrader's marks, and what it puts between them for the learner.
_BEGIN, _END = "### BEGIN SOLUTION", "### END SOLUTION"
_STUB = ("# YOUR CODE HERE", "raise NotImplementedError()")


class Unusable(ValueError):
    """A notebook cannot be read, or holds no cell for the answer; the message says what to do."""


def solution(check: Card, path: Path) -> str:
    """Return the course's answer to an exercise, from the notebook of solutions at ``path``.

    Raises:
        Unusable: it is not there.
    """
    lines = _shipped(check, path).splitlines()
    return "\n".join(line for line in lines if line.strip() not in (_BEGIN, _END))


def stub(check: Card, path: Path) -> str:
    """Return the empty answer cell of an exercise, from the notebook of solutions at ``path``.

    Raises:
        Unusable: it is not there.
    """
    kept, inside = [], False
    for line in _shipped(check, path).splitlines():
        if line.strip() == _BEGIN:
            indent = line[: len(line) - len(line.lstrip())]
            kept += [indent + words for words in _STUB]
        inside = (inside or line.strip() == _BEGIN) and line.strip() != _END
        if not inside and line.strip() != _END:
            kept.append(line)
    return "\n".join(kept)


def reset(check: Card, path: Path, empty: str) -> Path:
    """Put ``empty`` into the answer cell of a learner's notebook, after copying the notebook.

    Returns:
        The copy.

    Raises:
        Unusable: the notebook cannot be read, or holds no cell for this answer.
        OSError: the copy or the notebook cannot be written; the notebook is then as it was.
    """
    path = path.resolve()  # through a link, so that the file behind it is replaced
    notebook = _read(path)
    cell = _answer_cell(check, notebook)
    if cell is None:
        raise Unusable(
            f"{path} holds no cell that defines `{check.answer}`. Put this into a new cell above "
            f'check("{check.name}", …):\n\n{empty}'
        )
    saved = copy(path)
    cell["source"] = empty.splitlines(keepends=True)
    cell["outputs"], cell["execution_count"] = [], None
    text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8", newline="\n")
    return saved


def is_empty(check: Card, path: Path, empty: str) -> bool:
    """Say whether the answer cell of a learner's notebook is the empty one already.

    Raises:
        Unusable: see ``reset``.
    """
    cell = _answer_cell(check, _read(path))
    return cell is not None and _source(cell).strip() == empty.strip()


def copy(path: Path) -> Path:
    """Copy a file beside itself, with the date and time in the name of the copy.

    Raises:
        OSError: it cannot be written.
    """
    stamp = datetime.now().strftime("%Y-%m-%d_%H%M%S")
    number = 1
    while True:
        extra = f"-{number}" if number > 1 else ""
        target = path.with_name(f"{path.stem}.copy_{stamp}{extra}{path.suffix}")
        with suppress(FileExistsError), target.open("xb") as file:
            file.write(path.read_bytes())
            return target
        number += 1


def _shipped(check: Card, path: Path) -> str:
    for cell in _code_cells(_read(path)):
        if grade_id(cell) == check.cell_id:
            return _source(cell)
    raise Unusable(f"{path} holds no cell {check.cell_id}: the course is damaged, fetch it again.")


def _answer_cell(check: Card, notebook: dict[str, Any]) -> dict[str, Any] | None:
    """The cell that the course made for the answer; without its marks, the last that defines it."""
    cells = _code_cells(notebook)
    marked = [cell for cell in cells if grade_id(cell) == check.cell_id]
    pattern = re.compile(rf"^(?:async +)?(?:def|class) +{check.answer}\b", re.MULTILINE)
    defining = [cell for cell in cells if pattern.search(_source(cell))]
    return next(iter(marked or defining[::-1]), None)


def _code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell.get("cell_type") == "code"]


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    return "".join(source) if isinstance(source, list) else str(source)


def _read(path: Path) -> dict[str, Any]:
    try:
        notebook = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise Unusable(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise Unusable(f"{path} is damaged: it is not JSON. Nothing was changed.") from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise Unusable(f"{path} is not a notebook of today's format. Nothing was changed.")
    return notebook
