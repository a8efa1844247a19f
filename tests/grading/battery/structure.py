"""The answers are right (unless it says so); only the notebook is unusual; see notebooks/ too."""

import json
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tests.grading.battery.submission import (
    ROOT,
    Build,
    Submission,
    all_of,
    answer_cell,
    answers,
    check_cells,
    code,
    edited,
    last,
    save,
    solution,
    stored,
)


def without_checks(book: NotebookNode) -> None:
    gone = {cell.id for cell in check_cells(book)}
    book.cells = [cell for cell in book.cells if cell.id not in gone]


def checks_say_nothing(book: NotebookNode) -> None:
    for cell in check_cells(book):
        cell.source = "assert True"


def checks_first(book: NotebookNode) -> None:
    checks = check_cells(book)
    without_checks(book)
    book.cells[:0] = checks


def checks_as_text(book: NotebookNode) -> None:
    for cell in check_cells(book):
        cell.cell_type = "markdown"


def twice(book: NotebookNode) -> None:
    book.cells = [copy for cell in book.cells for copy in (cell, cell)]


def split_answer(book: NotebookNode) -> None:
    cell = answer_cell(book, "softmax")
    cell.source = "def softmax(scores):\n    return _normalised(_exponentials(scores))"
    at = book.cells.index(cell)
    book.cells.insert(
        at, code("def _exponentials(s):\n    return torch.exp(s - s.amax(-1, keepdim=True))")
    )
    book.cells.insert(at + 2, code("def _normalised(e):\n    return e / e.sum(-1, keepdim=True)"))


def as_colab_saves_it(book: NotebookNode) -> None:
    book.metadata = {
        "colab": {"provenance": [], "toc_visible": True},
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "language_info": {"name": "python"},
        "accelerator": "GPU",
    }
    for number, cell in enumerate(book.cells):
        cell.metadata = {"id": f"Xy{number}", "outputId": "c0ffee"}
        cell.pop("id", None)
    book.nbformat_minor = 0


def in_reverse(book: NotebookNode) -> None:
    imports, *others = [cell for cell in book.cells if cell.cell_type == "code"]
    book.cells = [imports, *reversed(others)]


def in_one_cell(book: NotebookNode) -> None:
    without_checks(book)
    sources = [cell.source for cell in book.cells if cell.cell_type == "code"]
    book.cells = [code("\n\n".join(sources))]


def outputs_without_answers(book: NotebookNode) -> None:
    for cell in check_cells(book):
        cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "1000000"})]
        cell.execution_count = 1


def stubs(folder: Path) -> NotebookNode:
    return nbformat.read(ROOT / "exercises/02_self_attention.ipynb", as_version=4)


def half_done(book: NotebookNode) -> None:
    answers(
        softmax="def softmax(scores):\n    pass",
        attend="def attend(query, key, value):\n    ...",
        causal_mask="def causal_mask(queries, keys):\n    raise NotImplementedError",
    )(book)


def format_3(folder: Path) -> Path:
    old = nbformat.convert(solution(), 3)
    return save(old, folder)


def format_4_0(book: NotebookNode) -> None:
    book.nbformat_minor = 0
    for cell in book.cells:
        cell.pop("id", None)


def with_bytes(encode: Callable[[str], bytes]) -> Build:
    def build(folder: Path) -> Path:
        path = folder / "02.ipynb"
        path.write_bytes(encode(json.dumps(solution(), indent=1)))
        return path

    return build


def windows_lines(book: NotebookNode) -> None:
    for cell in book.cells:
        cell.source = cell.source.replace("\n", "\r\n")


def lists_of_lines(book: NotebookNode) -> None:
    for cell in book.cells:
        cell["source"] = cell["source"].splitlines(keepends=True)


def failing_trial(book: NotebookNode) -> None:
    cell = answer_cell(book, "causal_mask")
    cell.source += "\n\ncausal_mask('three', 4)  # only to see what happens"


def timed(book: NotebookNode) -> None:
    for name, magic in (("softmax", "%%time"), ("attend", "%%capture out")):
        cell = answer_cell(book, name)
        cell.source = f"{magic}\n{cell.source}"


def misnumbered(book: NotebookNode) -> None:
    for cell in check_cells(book):
        cell.metadata.nbgrader.grade_id = "same"
        cell.metadata.nbgrader.points = 1000


def _right(name: str, *changes: Callable[[NotebookNode], object]) -> Submission:
    return Submission(name, edited(*changes))


SUBMISSIONS = (
    *stored("structure"),
    _right("check cells deleted", without_checks),
    _right("check cells say nothing", checks_say_nothing),
    _right("check cells moved to the top", checks_first),
    _right("check cells turned to text", checks_as_text),
    _right("every cell twice", twice),
    _right("an answer split over three cells", split_answer),
    _right("metadata stripped as Colab does", as_colab_saves_it),
    _right("cells in reverse", in_reverse),
    _right("everything in one cell", in_one_cell),
    _right("check cells with one grade_id", misnumbered),
    Submission(
        "outputs that claim points above empty answers",
        lambda folder: save(_changed(stubs(folder), outputs_without_answers), folder),
        all_of("not attempted"),
    ),
    Submission(
        "nothing filled in", lambda folder: save(stubs(folder), folder), all_of("not attempted")
    ),
    Submission(
        "half done",
        edited(half_done),
        all_of("not attempted", ("softmax", "attend", "causal_mask"))
        | all_of("follows", ("self_attention", "masked_attention", "repaired_heads")),
    ),
    _right("an answer whose cell fails after it", failing_trial),
    _right("cell magics on answers", timed),
    _right("nbformat 4.0", format_4_0),
    Submission("nbformat 3", format_3),
    Submission("a byte-order mark", with_bytes(lambda text: text.encode("utf-8-sig"))),
    Submission(
        "Windows line ends in the file",
        with_bytes(lambda text: text.replace("\n", "\r\n").encode()),
    ),
    _right("Windows line ends in the cells", windows_lines),
    _right("sources as lists of lines", lists_of_lines),
    _right("no metadata", lambda book: book.update(metadata={})),
    _right("hundreds of cells", last(*["x = 1"] * 300)),
)


def _changed(book: NotebookNode, change: Callable[[NotebookNode], object]) -> NotebookNode:
    change(book)
    return book
