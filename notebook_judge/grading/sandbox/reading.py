"""Read a notebook inside a worker: hostile JSON and hostile cells cost the worker's limits alone.

Nothing of the notebook has run yet, so what is said here about its cells is true.
"""

import ast
import json
import re
from collections.abc import Iterable
from typing import Any

from notebook_judge.grading.sandbox.shape import shape
from notebook_judge.grading.sandbox.tampering import tampering

MOST_CELLS = 5_000
LONGEST_SHOWN = 8_000  # letters of a cell that a report shows
LONGEST_PARSED = 200_000  # letters of a cell: beyond it, names are guessed
# Cell magics behind which Python follows.
_PYTHON_BEHIND = ("%%time", "%%timeit", "%%capture", "%%prun", "%%python")
_MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|\S.*\?)[ \t]*$", re.MULTILINE)
_ASSIGNED_MAGIC = re.compile(r"=[ \t]*[%!].*$", re.MULTILINE)
_CHECKED = re.compile(r"\bcheck\(\s*[\"']([\w.]+)[\"']")


class Unreadable(ValueError):
    """A text is no notebook; the message says why in one line."""


def cells_of(text: str, answers: frozenset[str] = frozenset()) -> list[tuple[str, str]]:
    """The source and the grade id of each code cell.

    The format's schema is not asked: Colab and others bend it, and only sources count here. A cell
    that holds an answer by its id counts as code, unless a code cell has that id or defines the
    same: in JupyterLab one key makes it Markdown or raw, unseen.

    Args:
        text: of the file.
        answers: the ids of cells that hold answers.

    Raises:
        Unreadable: it is not JSON, or not a notebook.
    """
    try:
        code = _code(json.loads(text), answers)
        cells = [(_joined(cell[key]), grade_id(cell)) for cell, key in code]
    except RecursionError as error:
        raise Unreadable("it is not a Jupyter notebook") from error
    except MemoryError as error:
        raise Unreadable("reading it needs too much memory") from error
    except ValueError as error:
        raise Unreadable("it is not JSON; download the .ipynb file again") from error
    except (AttributeError, KeyError, TypeError) as error:
        raise Unreadable("it is not a Jupyter notebook") from error
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"it has more than {MOST_CELLS:,} code cells")
    return cells


def _code(notebook: Any, answers: frozenset[str]) -> Iterable[tuple[dict[str, Any], str]]:
    """The code cells and the key of their source, in nbformat 4 or in the format 3 before it."""
    if "cells" in notebook:
        cells, key = notebook["cells"], "source"
    else:
        cells, key = [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]], "input"
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    turned = [cell for cell in cells if cell["cell_type"] in ("markdown", "raw")]
    held = {name for cell in code for name in _ids(cell)}
    turned = [cell for cell in turned if _ids(cell) & answers - held]
    if turned:
        defined = _guessed("\n".join(_joined(cell[key]) for cell in code))[0]
        turned = [cell for cell in turned if not _guessed(_joined(cell["source"]))[0] & defined]
    keys = {id(cell): key for cell in code} | {id(cell): "source" for cell in turned}
    return [(cell, keys[id(cell)]) for cell in cells if id(cell) in keys]


def _ids(cell: dict[str, Any]) -> set[str]:
    """What a cell is known by: nbgrader's mark, or where that is lost, the notebook's."""
    own = cell.get("id")
    return {grade_id(cell), own if isinstance(own, str) else ""} - {""}


def _joined(source: Any) -> str:
    """A source may be a text or a list of lines."""
    if not isinstance(source, str | list):
        raise TypeError("a source is neither a text nor a list of lines")
    return "".join(source)


def grade_id(cell: dict[str, Any]) -> str:
    """What nbgrader calls the cell; metadata may be of any kind."""
    held = cell.get("metadata")
    held = held.get("nbgrader") if isinstance(held, dict) else None
    name = held.get("grade_id") if isinstance(held, dict) else None
    return name if isinstance(name, str) else ""


def facts(source: str, answers: frozenset[str]) -> dict[str, Any]:
    """What the grader needs to know of a cell.

    Args:
        source: as it stands in the notebook.
        answers: the names that the course's exercises ask for; others are not told.

    Returns:
        As JSON: ``functions`` and ``names`` that it defines or imports, the exercises that it
        ``checks``, the ``first_line``, the ``code`` if there is an answer in it and its ``shape``,
        and what it ``reaches`` of the machinery around it.
    """
    tree = parsed(source)
    functions, names = _guessed(source) if tree is None else _defined(tree)
    lines = [line.strip() for line in source.splitlines()]
    names = (functions | names) & answers
    return {
        "functions": sorted(functions & answers),
        "names": sorted(names),
        "code": source.rstrip()[:LONGEST_SHOWN] if names else "",
        "checks": sorted(set(_CHECKED.findall(source)))[:100],
        "first_line": next((line for line in lines if line and line[0] not in "#%"), "")[:100],
        "reaches": tampering(tree) if tree else "",
        "shape": shape(tree) if names and tree else "",
    }


def parsed(source: str) -> ast.AST | None:
    """A cell's syntax without its magics; None where it cannot be parsed."""
    if len(source) > LONGEST_PARSED:
        return None
    head, _, rest = source.lstrip().partition("\n")
    if head.startswith("%%"):
        source = rest if head.startswith(_PYTHON_BEHIND) else ""
    for text in (source, _MAGIC.sub(r"\1pass", _ASSIGNED_MAGIC.sub("= None", source))):
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _guessed(source: str) -> tuple[set[str], set[str]]:
    """Functions and other names that a cell seems to define."""
    functions = r"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)"
    return (
        set(re.findall(functions, source, re.MULTILINE)),
        set(re.findall(r"^(\w+)[ \t]*=", source, re.MULTILINE)),
    )


def _defined(tree: ast.AST) -> tuple[set[str], set[str]]:
    functions, names = set[str](), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            functions.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
    return functions, names
