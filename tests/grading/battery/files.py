"""Files of every kind: read if they can be, refused with a reason if not."""

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tests.grading.battery.submission import Build, Submission, code, edited, save, solution

NO_NOTEBOOK = "it is not a Jupyter notebook"
NO_JSON = "it is not JSON; download the .ipynb file again"
NO_EXERCISE = "no exercise of this course is in it; is it a lesson? Exercises are in exercises/"


def holding(data: bytes) -> Build:
    """A file with these bytes."""

    def build(folder: Path) -> Path:
        path = folder / "02.ipynb"
        path.write_bytes(data)
        return path

    return build


def holding_json(value: object) -> Build:
    return holding(json.dumps(value).encode())


def with_cell(cell: object) -> Build:
    """Solutions with one more cell, which is none."""
    return edited(lambda book: book.cells.append(cell))


def folder_named_so(folder: Path) -> Path:
    (folder / "02.ipynb").mkdir()
    return folder / "02.ipynb"


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "02.ipynb")
    return folder / "02.ipynb"


def link_to(make: Callable[[Path], Path]) -> Build:
    def build(folder: Path) -> Path:
        link = folder / "handed_in.ipynb"
        link.symlink_to(make(folder))
        return link

    return build


def sparse(folder: Path) -> Path:
    path = save(solution(), folder)
    os.truncate(path, 200 * 2**20)
    return path


def in_r(folder: Path) -> Path:
    book = nbformat.v4.new_notebook(cells=[code("softmax <- function(x) exp(x) / sum(exp(x))")])
    book.metadata = {"kernelspec": {"name": "ir", "language": "R", "display_name": "R"}}
    return save(book, folder)


def _refused(name: str, build: Build, reason: str) -> Submission:
    return Submission(name, build, unreadable=reason)


def _text() -> bytes:
    return json.dumps(solution()).encode()


def odd_characters(book: NotebookNode) -> None:
    book.cells.append(code("x = 'a\ud800b'"))
    book.cells.append(code("y = 'a\0b'"))
    book.cells.append(code("   \n"))


SUBMISSIONS = (
    Submission("odd characters in cells", edited(odd_characters)),
    Submission("metadata of wrong types", edited(lambda book: book.update(metadata=[3]))),
    Submission("outputs of wrong types", edited(lambda book: book.cells[1].update(outputs=3))),
    _refused("truncated", lambda f: holding(_text()[:5000])(f), NO_JSON),
    _refused("only white space", holding(b" \n\t"), "it is empty"),
    _refused("UTF-16", lambda f: holding(_text().decode().encode("utf-16"))(f), "UTF-8"),
    _refused("compressed", lambda f: holding(gzip.compress(_text()))(f), "UTF-8"),
    _refused("a list", holding_json([solution()]), NO_NOTEBOOK),
    _refused("brackets without end", holding(b"[" * 200_000), NO_NOTEBOOK),
    _refused("cells are a number", holding_json({"nbformat": 4, "cells": 3}), NO_NOTEBOOK),
    _refused("a cell is a number", with_cell(3), NO_NOTEBOOK),
    _refused("a cell without a source", with_cell({"cell_type": "code"}), NO_NOTEBOOK),
    _refused("a source is a number", with_cell({"cell_type": "code", "source": 3}), NO_NOTEBOOK),
    Submission("no version", edited(lambda book: book.pop("nbformat"))),
    Submission("version 99", edited(lambda book: book.update(nbformat=99))),
    _refused("no cells at all", holding_json({"nbformat": 4}), NO_NOTEBOOK),
    _refused("a folder", folder_named_so, "it is a folder"),
    _refused("a pipe", pipe, "it is no regular file"),
    _refused("missing", lambda folder: folder / "02.ipynb", "there is no such file"),
    _refused("a link to the solutions", link_to(lambda f: save(solution(), f)), "it is a link"),
    _refused("a link to nothing", link_to(lambda f: f / "none"), "it is a link"),
    _refused("a link to a device", link_to(lambda f: Path("/dev/zero")), "it is a link"),
    _refused("200 MB", sparse, "it is larger than 64 MiB"),
    _refused("an R notebook", in_r, NO_EXERCISE),
    _refused("no cells", holding_json(nbformat.v4.new_notebook()), NO_EXERCISE),
)
