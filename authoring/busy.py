"""Judge the course's own solutions on a machine that has no time for them.

    python -m authoring.busy            # all lessons
    python -m authoring.busy 09_flash_attention

Each loop runs in a session of its own: Linux shares the processors by session, and a hundred loops
in one session would hardly be felt. Each solution must get full points from the grader, and pass
its own check cells in a kernel, under nbval.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from authoring import named
from authoring.sample import looked_at
from notebook_judge.grading.grader import grade_notebook

SOLUTIONS = Path(__file__).parents[1] / "solutions"
LOOPS = 10
# It ends with whoever started it, however that ends.
_LOOP = "import os\nstarted_by = os.getppid()\nwhile os.getppid() == started_by: pass"


@contextmanager
def busy(loops: int = LOOPS) -> Iterator[None]:
    """Keep the machine busy inside the block."""
    loop = [sys.executable, "-c", _LOOP]
    running = [subprocess.Popen(loop, start_new_session=True) for _ in range(loops)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


def by_the_grader(path: Path) -> str:
    """What a solution loses in the grader; empty if nothing."""
    result = grade_notebook(path, path.stem, 1)
    lost = [
        f"{one.exercise}: {one.status}, {one.headline}"
        for one in result.exercises
        if not one.passed
    ]
    return result.reason or "; ".join(lost)


def by_nbval(path: Path) -> str:
    """What its check cells say in a kernel; empty if all pass."""
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env"]
    command += ["--nbval-cell-timeout", "900", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
    return done.stdout[-2000:] if done.returncode else ""


def main(lessons: list[str]) -> int:
    """Judge the solutions of some lessons, or of all; return 1 if one loses a point."""
    every = sorted(SOLUTIONS.glob("*.ipynb"))
    paths = [SOLUTIONS / f"{name}.ipynb" for name in lessons] or every
    failures = 0
    with busy():
        for path in paths:
            for judge in (by_the_grader, by_nbval):
                lost = judge(path)
                failures += bool(lost)
                print(f"{path.stem}, {judge.__name__}: {lost or 'full points'}", flush=True)
    print(looked_at(len(paths), len(every), "lessons").capitalize())
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(named(__doc__)))
