"""Run what CI runs: linters, the gate, tests, pages in a browser, a class graded, notebooks.

``make test`` sets up the environment and then runs this in it. Parts may be named, and before them
how much of each: ``all`` of it; by default what changed, what is fast, and a sample of the rest
that the commit draws; ``brief``, less of it, where another Python has had the short suite. All
parts run, also after one has failed; a table says what each took and how much it looked at.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from authoring import named
from authoring.changed import changed, exercises, exercises_of, long_tests_of, tests_of
from authoring.environment import LOG, VENV, Stop, live, report, step, tool
from authoring.sample import commit, looked_at, sample

PYTHON = tool("python")
LINTERS: tuple[tuple[str, list[str | Path]], ...] = (
    ("ruff check", [PYTHON, "-m", "ruff", "check", "."]),
    ("ruff format", [PYTHON, "-m", "ruff", "format", "--check", "."]),
    ("mypy", [PYTHON, "-m", "mypy"]),
    ("import-linter", [tool("lint-imports"), "--no-logo"]),
    ("codespell", [PYTHON, "-m", "codespell_lib"]),
)
# The cells of a notebook share a kernel and some fixtures are expensive: a file stays together.
# Files are begun in their order, those that take longest first: else one process waits at the end.
PYTEST = ["pytest", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
PYTEST += ["-q", "-p", "authoring.sample"]
NBVAL = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout", "900"]
# pytest sorts what it is given, so that they are named to the sample's plugin.
LONGEST = (
    "tests/notebooks/test_exercises.py",
    "tests/test_graphs.py",
    "tests/learning",
    "tests/test_another_course.py",
    "tests/evidence/test_ledger.py",
    "notebooks/10_translation.ipynb",
    "notebooks/labs/10_controlled_language.ipynb",
)
PYTEST += [word for place in LONGEST for word in ("--first", place)]
SUITES = {
    "unit": ["tests", "--ignore=tests/browser", "--ignore=tests/grading"],
    "browser": ["tests/browser"],
    "grading": ["tests/grading"],
    "notebooks": [*NBVAL, "notebooks", "solutions"],
}
PARTS = ("lint", "gate", *SUITES)
SHORT = "short"
# How each part is sampled: the gate's exercises, one in so many; the rest as authoring.sample says.
SCOPES = {
    "all": dict.fromkeys(PARTS, ""),
    SHORT: {
        "lint": "",
        "gate": "4",
        "unit": "marked",
        "browser": "files:6",
        "grading": "tests:16",
        "notebooks": "files:5",
    },
    "brief": {"unit": "tests:10", "grading": "tests:40", "notebooks": "files:24"},
}
# Seeds of the gate: of right answers, and of slips, of which there are ten times as many.
SEEDS = {"all": ("5", "2"), SHORT: ("2", "1")}


@dataclass(frozen=True)
class Ran:
    """One part: whether it failed, how much it looked at, and its seconds."""

    part: str
    failed: bool
    some: int
    of: int
    what: str
    clock: float
    processor: float


def main(words: Sequence[str]) -> int:
    """Run these parts, or all; return 1 if any failed, and 2 if there is no such part."""
    scope, *parts = words if words and words[0] in SCOPES else (SHORT, *words)
    chosen = parts or list(SCOPES[scope])
    if unknown := sorted(set(chosen) - SCOPES[scope].keys()):
        print(f"There is no part {', '.join(unknown)}. Parts: {', '.join(SCOPES[scope])}.")
        return 2
    files = changed() if scope != "all" else []
    # Two processes run side by side: a second thread in each would only get in the way.
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    missing = []
    if "browser" in chosen:
        try:
            environment["COURSE_BROWSER"] = find_browser()
        except Stop as problem:
            report(problem)
            missing = ["browser"]
    print(f"Files that have changed: {len(files)}; the sample is that of commit {commit()[:9]}.")
    parts = [part for part in SCOPES[scope] if part in chosen and part not in missing]
    return _summed_up([_timed(part, scope, files, environment) for part in parts], missing)


def _timed(part: str, scope: str, files: Sequence[str], environment: dict[str, str]) -> Ran:
    before, began = os.times(), time.monotonic()
    if part == "lint":
        failed, some, of, what = len(lint()), len(LINTERS), len(LINTERS), "linters"
    elif part == "gate":
        failed, some, of, what = _gate(scope, files, environment)
    else:
        failed, some, of, what = _pytest(part, scope, files, environment)
    after, clock = os.times(), time.monotonic() - began
    processor = sum(after[2:4]) - sum(before[2:4])  # of what ran in processes of its own
    return Ran(part, bool(failed), some, of, what, clock, processor)


Looked = tuple[int, int, int, str]  # the exit code, how many, of how many, what


def _gate(scope: str, files: Sequence[str], environment: dict[str, str]) -> Looked:
    names, every = exercises(), SCOPES[scope]["gate"]
    taken = sorted(sample(names, int(every), exercises_of(files))) if every else names
    seeds, named_seeds = SEEDS[scope]
    words = [*taken, "--seeds", seeds, "--named-seeds", named_seeds, "--jobs", "2"]
    code = live([PYTHON, "-m", "authoring.gate", *words], environment)
    return code, len(taken), len(names), "exercises"


def _pytest(part: str, scope: str, files: Sequence[str], environment: dict[str, str]) -> Looked:
    words = list(SUITES[part])
    if how := SCOPES[scope][part]:
        words += ["--sample", how]
        tests = long_tests_of if scope == SHORT else tests_of
        texts = {text for file in files for text in tests(file)} | {*exercises_of(files)}
        words += [word for text in sorted(texts) for word in ("--always", text)]
    print(f"  {part}: {' '.join(SUITES[part])} {SCOPES[scope][part]}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        tally = Path(folder, "tally")
        code = live([PYTHON, "-m", *PYTEST, *words, "--tally", tally], environment)
        some, of = json.loads(tally.read_text("utf-8")) if tally.exists() else (0, 0)
    return code, some, of, "tests"


def _summed_up(ran: Sequence[Ran], missing: Sequence[str]) -> int:
    """Print a line for each part; return 1 if any failed or could not be run."""
    print("\n  part         clock  processor")
    for one in ran:
        words = looked_at(one.some, one.of, one.what) + (", FAILED" if one.failed else "")
        print(f"  {one.part:<9} {one.clock:>6.0f} s {one.processor:>8.0f} s  {words}")
    for part in missing:
        print(f"  {part:<9} could not be run: see above")
    clock, processor = sum(one.clock for one in ran), sum(one.processor for one in ran)
    print(f"  {'together':<9} {clock:>6.0f} s {processor:>8.0f} s")
    failed = [one.part for one in ran if one.failed] + [*missing]
    whole = all(one.some == one.of for one in ran)
    passed = "All passed." if whole else "What was looked at passed; `all` looks at the rest."
    print(f"Failed: {', '.join(failed)}" if failed else passed)
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
