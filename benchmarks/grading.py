"""Seconds to grade one notebook, by phase, beside ``nbgrader autograde`` on the same file.

Run it from the repository: ``python benchmarks/grading.py``. The course promises 15 seconds.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformer_lesson.checks.exercise import Outcome

SOLUTION = Path(__file__).parents[1] / "solutions" / "02_self_attention.ipynb"
SEED = 0
PROMISED = 15.0


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print how long the block took."""
    started = time.perf_counter()
    yield
    print(f"{what:44} {time.perf_counter() - started:6.2f} s")


def _called(outcome: "Outcome | str") -> "Outcome":
    assert not isinstance(outcome, str), "an answer is missing from the solution"
    return outcome


def phases() -> None:
    """Grade in this process, step by step."""
    with timed("  import the grader"):
        from transformer_lesson.checks.judge import judge
        from transformer_lesson.grading import notebooks
        from transformer_lesson.grading.session import Limits, Session, Worker
    with timed("  read the notebook"):
        cells = notebooks.read(SOLUTION)
        checks = notebooks.exercises(cells)
    with timed("  start a worker alone"):
        Worker(Limits()).close()
    with Session([cell.source for cell in cells], Limits()) as session:
        with timed("  start a worker, run the cells"):
            session.prepare()
        drawn = [(check, check.cases(SEED)) for check in checks]
        with timed("  call the answers"):
            called = [
                (check, cases, [_called(session.call(check, case, 10.0)) for case in cases])
                for check, cases in drawn
            ]
        with timed("  judge what came back"):
            verdicts = [judge(check, cases, outcomes) for check, cases, outcomes in called]
    assert all(verdict.passed for verdict in verdicts)


def tool(name: str) -> str:
    """The command of this name that belongs to this Python."""
    return str(Path(sys.executable).with_name(name))


def ours(folder: Path) -> None:
    """The whole command."""
    command = [tool("transformer-lesson"), "grade", str(SOLUTION), "--out", str(folder / "grades")]
    with timed("transformer-lesson grade, the whole command"):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def nbgrader(folder: Path) -> None:
    """The whole command, on a course of one assignment and one submission."""
    for place in ("source/02", "submitted/anna/02"):
        (folder / place).mkdir(parents=True)
        shutil.copy(SOLUTION, folder / place)
    # nbgrader starts alembic by its name alone.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = partial(
        subprocess.run, cwd=folder, check=True, capture_output=True, env=os.environ | {"PATH": path}
    )
    run([tool("nbgrader"), "generate_assignment", "02", "--create"])
    with timed("nbgrader autograde, the whole command"):
        run([tool("nbgrader"), "autograde", "02", "--create"])


def main() -> int:
    """Print the table; return 1 if the promise is broken."""
    phases()
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        ours(Path(folder))
        broken = time.perf_counter() - started > PROMISED
        nbgrader(Path(folder))
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
