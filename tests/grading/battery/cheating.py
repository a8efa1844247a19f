"""Wrong answers that try to pass, shortcuts that try to stay unseen; notebooks/ holds more."""

from pathlib import Path

from nbformat import NotebookNode

from tests.grading.battery.submission import (
    ROOT,
    Submission,
    alone,
    answers,
    check_cells,
    edited,
    instead,
    save,
    solution,
    stored,
)

CATALOGUE = "transformer_checks.catalogue"
WRONG = "def causal_mask(queries, keys):\n    return torch.ones(queries, keys).tril().bool()"
FAILED = {"causal_mask": "wrong"}


def other_points(book: NotebookNode) -> None:
    for cell in check_cells(book):
        cell.metadata.nbgrader.points = 1000
    book.metadata.transformer_lesson = {"lesson": "99", "points": 1000, "status": "passed"}


def beside_a_secret(folder: Path) -> Path:
    """Another one's submission lies in the same folder, under a name that is known."""
    other = save(solution(), folder, "other.ipynb")
    book = solution()
    alone(book)
    answers(causal_mask=f"import json\ncells = json.load(open({str(other)!r}))['cells']\n" + TAKEN)(
        book
    )
    return save(book, folder)


TAKEN = """for cell in cells:
    if 'def causal_mask' in ''.join(cell['source']):
        exec(''.join(cell['source']))"""


def _reads(path: Path, words: str, way: str, verdict: str = "error") -> Submission:
    assert path.exists()  # or nothing would have to be hidden
    return Submission(
        words,
        instead(causal_mask=f"path = {str(path)!r}\n{way}"),
        {"causal_mask": verdict},
        isolated=True,
    )


SUBMISSIONS = (
    *stored("cheating"),
    Submission(
        "points and lesson claimed in metadata",
        edited(other_points, answers(causal_mask=WRONG)),
        FAILED,
    ),
    _reads(
        ROOT / "transformer_checks/catalogue/solutions/02_self_attention.txt",
        "the catalogue's file read",
        "exec(open(path).read())",
        "not attempted",
    ),
    _reads(
        ROOT / "solutions/02_self_attention.ipynb",
        "the solutions read",
        f"import json\ncells = json.load(open(path))['cells']\n{TAKEN}",
        "not attempted",
    ),
    _reads(
        ROOT / "transformer_checks/catalogue/solutions/02_self_attention.txt",
        "the reference from another Python",
        "import subprocess, sys\nread = f'print(open({path!r}).read())'\n"
        "exec(subprocess.check_output([sys.executable, '-c', read], text=True))",
        "not attempted",
    ),
    _reads(
        ROOT,
        "the catalogue imported by another Python",
        f"import subprocess, sys\nread = 'from {CATALOGUE} import CHECKS; print(CHECKS)'\n"
        "causal_mask = subprocess.check_output([sys.executable, '-c', read], cwd=path) and (\n"
        "    lambda queries, keys: torch.ones(queries, keys).tril(keys - queries) > 0)",
    ),
    Submission(
        "another one's submission read",
        beside_a_secret,
        {"causal_mask": "not attempted"},
        isolated=True,
    ),
)
