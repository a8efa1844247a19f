"""``make quick``, for every commit: linters, and the tests of what changed since ``main``.

The tests of ``transformer_lesson/flash/softmax.py`` are ``tests/flash/test_softmax.py``, which has
its name; where none has, those that import it; else all of ``tests/flash``. ``ELSEWHERE`` names the
tests of the rest. An exercise that changed goes through the author's gate with one seed. One
notebook is run: a changed one, else that of a changed exercise, else a short one.

It takes two minutes on two cores: tests that are not done by then are stopped and, like those in a
browser, left to ``make test``.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import PurePosixPath
from threading import Timer

from authoring import named
from authoring.ci import NBVAL, PYTEST, PYTHON, lint
from authoring.environment import ROOT, live

SECONDS = 110
SHORT = "notebooks/00_start_here.ipynb"
ONE_SEED = ("--seeds", "1", "--named-seeds", "1")
NOTEBOOKS = ("notebooks", "solutions")
BROWSER = "tests/browser"
CATALOGUE = "transformer_checks/catalogue"
EXERCISES = (CATALOGUE, "authoring/styles")
# The tests of what lies below a folder, where they do not mirror it. The first that fits counts.
ELSEWHERE = {
    f"{CATALOGUE}/solutions": "tests/notebooks/test_exercises.py tests/checks/test_catalogue.py",
    CATALOGUE: "tests/checks/test_catalogue.py",
    "authoring/styles": "tests/checks/test_gate.py",
    "authoring/site": "tests/authoring/test_colab.py",
    "authoring": "tests/authoring tests/install",
    "notebooks": "tests/notebooks/test_map.py",
    "solutions": "tests/notebooks/test_exercises.py",
    "exercises": "tests/notebooks/test_exercises.py",
    "evidence": "tests/evidence",
    "transformer_lesson/validation": "tests/bad_input",
    "transformer_lesson": "tests/test_models.py tests/test_parity.py",
    "": "tests/install tests/notebooks/test_map.py",
}


def changed() -> list[str]:
    """The files that differ from those of ``main``; without a ``main``, from the last commit."""
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    files = _git("diff", "--name-only", "--diff-filter=d", *base)
    return sorted({*files, *_git("ls-files", "--others", "--exclude-standard")})


def _git(*words: str) -> list[str]:
    asked = ["git", "-c", "core.quotePath=false", *words]
    return subprocess.run(asked, cwd=ROOT, stdout=-1, encoding="utf-8").stdout.splitlines()


def tests_of(file: str) -> list[str]:
    """The tests of a file: of its name, else that import it, of its folder, or ``ELSEWHERE``."""
    path = PurePosixPath(file)
    place = PurePosixPath("tests", *path.parts[1:-1])
    if path.parts[0] == "tests" and path.match("test_*.py"):
        found = [file]
    elif (ROOT / place / f"test_{path.stem}.py").exists():
        found = [f"{place}/test_{path.stem}.py"]
    elif not (found := importing(path)):
        mirrors = [one for one in (place, *place.parents)[:-2] if (ROOT / one).is_dir()]
        fits = (tests for folder, tests in ELSEWHERE.items() if path.is_relative_to(folder))
        found = [str(mirrors[0])] if mirrors else next(fits).split()
    return [test for test in found if not test.startswith(BROWSER)]


def importing(path: PurePosixPath) -> list[str]:
    """The tests that import a module."""
    package, name = ".".join(path.parts[:-1]), path.stem
    used = re.compile(rf"\b{re.escape(package)}(\.| import (.*, )?){name}\b")
    tests = sorted(ROOT.glob("tests/**/test_*.py")) if path.suffix == ".py" and package else []
    found = [test for test in tests if used.search(test.read_text(encoding="utf-8"))]
    names = [test.relative_to(ROOT).as_posix() for test in found]
    return [name for name in names if not name.startswith(BROWSER)]


def exercises_of(files: Sequence[str]) -> list[str]:
    """The names of the exercises whose inputs, slips or styles are among ``files``."""
    found = []
    for file in files:
        for folder in EXERCISES:
            if file.startswith(f"{folder}/"):
                place = PurePosixPath(file).relative_to(folder).with_suffix(".py")
                page = ROOT / CATALOGUE / place
                text = page.read_text(encoding="utf-8") if page.exists() else ""
                found += re.findall(r'^ +name="([\w.]+)"', text, re.MULTILINE)
    return sorted(set(found))


def notebook_of(files: Sequence[str]) -> str:
    """The notebook to run."""
    edited = [file for file in files if file.endswith(".ipynb") and file.startswith(NOTEBOOKS)]
    lessons = [PurePosixPath(file).parts[2] for file in files if file.startswith(EXERCISES)]
    answers = [path for lesson in lessons for path in ROOT.glob(f"solutions/*_{lesson}.ipynb")]
    return [*edited, *(f"solutions/{path.name}" for path in answers), SHORT][0]


def main() -> int:
    """Run it; return 1 if anything failed."""
    end = time.monotonic() + SECONDS
    files = changed()
    failed = lint()
    os.environ["OMP_NUM_THREADS"] = "1"  # two processes run side by side
    if names := exercises_of(files):
        failed += ["gate"] if live([PYTHON, "-m", "authoring.gate", *names, *ONE_SEED]) else []
    chosen = list(dict.fromkeys(test for file in files for test in tests_of(file)))
    words = [*PYTEST, "--no-loadscope-reorder", *NBVAL, notebook_of(files), *chosen]
    print(f"  {' '.join(words)}", flush=True)
    failed += _tests(words, end - time.monotonic())
    print(f"Failed: {', '.join(failed)}" if failed else "All passed.")
    return 1 if failed else 0


def _tests(words: Sequence[str], seconds: float) -> list[str]:
    """Run pytest for so long; return what failed of what was run."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job of a script ignores it
    process = subprocess.Popen([PYTHON, "-m", *words], cwd=ROOT, stdout=-1, encoding="utf-8")
    timer = Timer(max(seconds, 10), process.send_signal, [signal.SIGINT])
    timer.start()
    assert process.stdout
    line = ""
    for line in process.stdout:
        print(line, end="", flush=True)
    stopped = not timer.is_alive()
    timer.cancel()
    if stopped:
        print("Stopped, since the time is up; the rest is for `make test`.")
    failed = re.search(r"\d+ (failed|error)", line) or (process.wait() and not stopped)
    return ["tests"] if failed else []


if __name__ == "__main__":
    named(__doc__, most=0)
    sys.exit(main())
