"""Run everything that CI runs: linters, types, imports, spelling, exercises, tests, notebooks.

``make test`` sets up the environment and then runs this in it. All steps run, also after one has
failed; the last line names those that failed.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from authoring import named
from authoring.environment import LOG, VENV, Stop, live, report, step, tool

PYTHON = tool("python")
LINTERS: tuple[tuple[str, list[str | Path]], ...] = (
    ("ruff check", [PYTHON, "-m", "ruff", "check", "."]),
    ("ruff format", [PYTHON, "-m", "ruff", "format", "--check", "."]),
    ("mypy", [PYTHON, "-m", "mypy"]),
    ("import-linter", [tool("lint-imports"), "--no-logo"]),
    ("codespell", [PYTHON, "-m", "codespell_lib"]),
)
# The cells of a notebook share a kernel and some fixtures are expensive: a file stays together.
# Files are begun in their order, and not those of the most tests first: few tests may take longest.
PYTEST = ["pytest", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
LONGEST = ["tests/notebooks/test_exercises.py", "tests/evidence/test_ledger.py"]
NBVAL = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout", "900"]
GATE = ["--seeds", "5", "--named-seeds", "2", "--jobs", "2"]
SUITES = {
    # A sample of seeds: without these options the gate judges three times as many answers.
    "gate": ["authoring.gate", *GATE],
    "unit": [*PYTEST, *LONGEST, "tests", "--ignore=tests/browser", "--ignore=tests/grading"],
    "browser": [*PYTEST, "tests/browser"],
    "grading": [*PYTEST, "tests/grading"],
    "notebooks": [*PYTEST, *NBVAL, "notebooks", "solutions"],
}
PARTS = ("lint", *SUITES)


def main(parts: Sequence[str]) -> int:
    """Run these parts, or all; return 1 if any failed, and 2 if there is no such part."""
    if unknown := sorted(set(parts) - set(PARTS)):
        print(f"There is no part {', '.join(unknown)}. Parts: {', '.join(PARTS)}.")
        return 2
    chosen = parts or PARTS
    failed = lint() if "lint" in chosen else []
    # Two processes run side by side: a second thread in each would only get in the way.
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if "browser" in chosen:
        try:
            environment["COURSE_BROWSER"] = find_browser()
        except Stop as problem:
            report(problem)
            failed.append("a browser")
    for title, words in SUITES.items():
        if title in chosen:
            print(f"  {title}: {' '.join(words)}", flush=True)
            if live([PYTHON, "-m", *words], environment):
                failed.append(title)
    print(f"Failed: {', '.join(failed)}" if failed else "All passed.")
    return 1 if failed else 0


def lint() -> list[str]:
    """Run the linters; return the names of those that found something."""
    failed = []
    for title, command in LINTERS:
        code, printed = step(title, command, VENV / "test.log")
        if code:
            print(printed)
            failed.append(title)
    return failed


def find_browser() -> str:
    """Return the path of the Chromium that the browser tests drive; fetch one if need be.

    Raises:
        Stop: if COURSE_BROWSER names a missing file, or if there is no browser and none to fetch.
    """
    named = os.environ.get("COURSE_BROWSER")
    if named:
        if not Path(named).exists():
            raise Stop(f"COURSE_BROWSER={named} does not exist", "Give the path of a Chromium")
        return named
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    path = _path_of_playwrights_own()
    if not Path(path).exists():
        step("fetching a browser", [PYTHON, "-m", "playwright", "install", "chromium"], LOG)
    if not Path(path).exists():
        remedy = "Install chromium, or set COURSE_BROWSER to the path of a Chromium or Chrome."
        raise Stop("no browser for the browser tests", remedy, LOG)
    return path


def _path_of_playwrights_own() -> str:
    # In a process of its own, because Playwright allows one event loop and the tests may hold it.
    ask = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as playwright: print(playwright.chromium.executable_path)"
    )
    return subprocess.check_output([sys.executable, "-c", ask], text=True).strip()


if __name__ == "__main__":
    sys.exit(main(named(__doc__)))
