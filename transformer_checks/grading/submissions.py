"""Find notebooks, read them without trusting them, and see which lesson each belongs to."""

import ast
import glob
import json
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager

from transformer_checks import catalogue
from transformer_checks.checks.exercise import Check
from transformer_checks.grading.tampering import tampering
from transformer_checks.sanitize import sanitize_line

LARGEST = 64 * 2**20


class NothingToGrade(ValueError):
    """The paths that were given lead to no notebook."""


class Unreadable(ValueError):
    """A file is no notebook of this course; the message says why in one line."""


@dataclass(frozen=True)
class Cell:
    """A code cell.

    Attributes:
        source: as it stands in the notebook.
        defines: the names that it gives a value to.
        reaches: the first thing that it uses of the machinery around it; empty if there is none.
    """

    source: str
    defines: frozenset[str]
    reaches: str = ""

    @property
    def first_line(self) -> str:
        """How a message refers to the cell."""
        lines = [line.strip() for line in self.source.splitlines()]
        return sanitize_line(next((line for line in lines if line and line[0] not in "#%"), ""), 60)


_COPY = re.compile(r"\.copy_\d{4}-\d\d-\d\d_\d{6}(-\d+)?$")


def is_copy(path: Path) -> bool:
    """Whether a file is the copy that ``reset`` made before it emptied an answer."""
    return _COPY.search(path.stem) is not None


def find(paths: Sequence[str]) -> list[Path]:
    """Resolve files, folders and patterns, each notebook once, folders searched to the bottom.

    Raises:
        NothingToGrade: a path does not exist, or there is no notebook in what was given.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        for match in [path] if os.path.lexists(path) else sorted(glob.glob(path, recursive=True)):
            for notebook in _notebooks(Path(match)):
                found.setdefault(notebook.absolute(), notebook)
        if not os.path.lexists(path) and not glob.glob(path, recursive=True):
            raise NothingToGrade(
                f"there is no file or folder {path!r}. Give notebooks, or a folder that holds some."
            )
    if not found:
        raise NothingToGrade(
            f"no notebook in {', '.join(map(repr, paths))}. A folder is searched for *.ipynb files."
        )
    return list(found.values())


def _notebooks(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    inside = sorted(path.rglob("*.ipynb"))
    visible = [p for p in inside if not any(d[0] == "." for d in p.relative_to(path).parts)]
    visible = [p for p in visible if not is_copy(p)]
    return visible or [path] * (path.suffix == ".ipynb")


def labels(paths: Sequence[Path]) -> list[str]:
    """A short name for each path, distinct and safe as the name of a folder."""
    common = os.path.commonpath([path.absolute().parent for path in paths])
    taken: Counter[str] = Counter()
    names = []
    for path in paths:
        inside = os.path.relpath(path.absolute(), common).removesuffix(".ipynb")
        # Letters of any alphabet; accents in one of the two forms that Unicode has for them.
        inside = unicodedata.normalize("NFC", inside)
        name = re.sub(r"[^\w-]+", "_", inside).strip("_")[:80] or "notebook"
        while taken[name.casefold()]:
            taken[name.casefold()] += 1
            name = f"{name}-{taken[name.casefold()]}"
        taken[name.casefold()] += 1
        names.append(name)
    return names


def read(path: Path) -> list[Cell]:
    """The code cells of a notebook; the file is opened for reading only.

    The format's schema is not asked: Colab and others bend it, and only sources count here.

    Raises:
        Unreadable: it is missing, no regular file, too large, not JSON, or not a notebook.
    """
    text = _text(path)
    try:
        sources = list(map(_joined, _sources(json.loads(text))))
    except RecursionError as error:
        raise Unreadable("it is not a Jupyter notebook") from error
    except ValueError as error:
        raise Unreadable("it is not JSON; download the .ipynb file again") from error
    except (KeyError, TypeError) as error:
        raise Unreadable("it is not a Jupyter notebook") from error
    return [_cell(source) for source in sources]


def _sources(notebook: Any) -> list[Any]:
    """What the code cells hold, in nbformat 4 or in the format 3 before it."""
    if "cells" in notebook:
        cells, source = notebook["cells"], "source"
    else:
        cells = [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
        source = "input"
    return [cell[source] for cell in cells if cell["cell_type"] == "code"]


def _joined(source: Any) -> str:
    """A source may be a text or a list of lines."""
    if not isinstance(source, str | list):
        raise TypeError("a source is neither a text nor a list of lines")
    return "".join(source)


def _text(path: Path) -> str:
    if path.is_symlink():  # it may lead to anything: to a device, to another one's submission
        raise Unreadable("it is a link; hand in the file itself")
    if path.is_dir():
        raise Unreadable("it is a folder")
    if not path.exists():
        raise Unreadable("there is no such file")
    if not path.is_file():
        raise Unreadable("it is no regular file")
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise Unreadable(f"it cannot be opened: {error.strerror}") from error
    if len(data) > LARGEST:
        raise Unreadable(f"it is larger than {LARGEST // 2**20} MiB; clear its outputs")
    if not data.strip():
        raise Unreadable("it is empty")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable("it is not text in UTF-8") from error


def _cell(source: str) -> Cell:
    tree = _parsed(source)
    if tree is None:
        return Cell(source, _guessed(source))
    return Cell(source, _defined(tree), tampering(tree))


def _parsed(source: str) -> ast.AST | None:
    """A cell's syntax, magics translated; None where a slip keeps it from being parsed."""
    try:
        return ast.parse(TransformerManager().transform_cell(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _guessed(source: str) -> frozenset[str]:
    """Names that a cell seems to define."""
    pattern = r"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^(\w+)[ \t]*="
    return frozenset("".join(found) for found in re.findall(pattern, source, re.MULTILINE))


def _defined(tree: ast.AST) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return frozenset(names)


def exercises(cells: Sequence[Cell]) -> list[Check]:
    """The exercises of the lesson that a notebook answers most of.

    Raises:
        Unreadable: it answers none of any lesson.
    """
    defined = frozenset().union(*(cell.defines for cell in cells))
    answered = Counter(c.lesson for c in catalogue.CHECKS.values() if c.answer in defined)
    if not answered:
        raise Unreadable(
            "no exercise of this course is in it; is it a lesson? Exercises are in exercises/"
        )
    return catalogue.of_lesson(answered.most_common(1)[0][0])
