"""Results without grading, and texts that try to be more than text."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from notebook_judge.grading import submissions
from notebook_judge.grading.jobs import RunInfo
from notebook_judge.grading.results import ExerciseResult, NotebookResult
from notebook_judge.grading.sandbox.reading import Unreadable

RUN = RunInfo(
    7, "1.0", "2030-01-01T00:00:00+00:00", "c0de", "namespaces", "They see nothing.", 2, 2
)
HOSTILE = (
    "=cmd|' /C calc'!A0",
    'x;=HYPERLINK("http://evil")',
    " \t+1",
    "\uff1d1+1",
    "<script>document.title='taken'</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "]]>&amp;&#0;<!--",
    "</title></style><h1>20 of 20 points</h1>",
    "\x1b[2J\x1b]0;taken\x07\x9b31m",
    "\r20 of 20 points\x08\x08",
    "one\nTOTAL 100/100\ntwo",
    "abc\u202etxt.exe\u2066\u200f",
    "\x00\ufffe\uffff\ud800",
    "[bold red]:bomb: {task.description} %s [/]",
    "`never closed",
    "long" * 1500,
    "\U0001d6c2 naïve 名前",
)


def exercise(
    name: str = "total", status: str = "wrong", text: str = "it is squared", slip: str = "squared"
) -> ExerciseResult:
    """A result of the tiny course that carries ``text`` wherever one can be."""
    if status == "passed":
        return ExerciseResult(f"tiny.{name}", f"Exercise {name}", status, 2, 2, seconds=0.25)
    example = f"with two rows:\n  x = [1, 2]\n{text}"
    return ExerciseResult(
        f"tiny.{name}", f"Exercise {name}", status, 0, 2, text, text, slip, example, 0.25
    )


def notebook(
    name: str = "anna_02", *exercises: ExerciseResult, path: str = "", reason: str = ""
) -> NotebookResult:
    """A graded notebook, or an unreadable one where there is a reason."""
    path = path or f"class/{name}.ipynb"
    if reason:
        return NotebookResult(name, path, "unreadable", reason, seconds=0.1)
    exercises = exercises or (exercise("double", "passed"), exercise())
    return NotebookResult(name, path, "graded", "", "99_tiny", exercises, 1.5)


Grading = Callable[..., NotebookResult]


def fake_grading(
    graded: list[str], before: Callable[[str], None] = lambda name: None, better: str = ""
) -> Grading:
    """Something to put in the place of ``grade``.

    Args:
        graded: gets the name of each notebook that is really graded.
        before: called with the name first; what it raises happens in the middle of grading.
        better: the name of a notebook that is right in all.
    """

    def grading(path: Path, name: str, seed: int, **_: object) -> NotebookResult:
        before(name)
        graded.append(name)
        right = [exercise(one, "passed") for one in ("double", "total")] if name == better else []
        try:
            content = submissions.fingerprint(submissions.text_of(path))
        except Unreadable as unreadable:
            return notebook(name, path=str(path), reason=str(unreadable))
        return replace(notebook(name, *right, path=str(path)), content=content)

    return grading
