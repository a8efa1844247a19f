"""Wrong answers that try to pass, shortcuts that try to stay unseen; notebooks/ holds more."""

from nbformat import NotebookNode

from tests.grading.battery.submission import (
    ROOT,
    Submission,
    answers,
    check_cells,
    edited,
    instead,
    stored,
)

WRONG = "def causal_mask(queries, keys):\n    return torch.ones(queries, keys).tril().bool()"
# What it prints is true, so that the answer is right wherever the catalogue can be read.
ANOTHER_PYTHON = f"""import subprocess, sys
read = "from transformer_checks.catalogue import CHECKS; print(CHECKS)"
causal_mask = subprocess.check_output([sys.executable, "-c", read], cwd={str(ROOT)!r}) and (
    lambda queries, keys: torch.ones(queries, keys).tril(keys - queries) > 0)"""


def other_points(book: NotebookNode) -> None:
    for cell in check_cells(book):
        cell.metadata.nbgrader.points = 1000
    book.metadata.transformer_lesson = {"lesson": "99", "points": 1000, "status": "passed"}


SUBMISSIONS = (
    *stored("cheating"),
    Submission(
        "points and lesson claimed in metadata",
        edited(other_points, answers(causal_mask=WRONG)),
        {"causal_mask": "wrong"},
    ),
    Submission(
        "the catalogue imported by another Python",
        instead(causal_mask=ANOTHER_PYTHON),
        {"causal_mask": "error"},
        isolated=True,
    ),
)
