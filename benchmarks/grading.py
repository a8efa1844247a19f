"""Grade a class, beside ``nbgrader autograde`` on the same notebooks.

Run it from the repository: ``python -m benchmarks.grading``, or with smaller numbers:
``python -m benchmarks.grading --notebooks 6 --class 10``. Needs nbgrader.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks.harness import promise, run

ROOT = Path(__file__).parents[1]
LESSON = "02_self_attention"
# What learners hand in: text that stands in the solutions, and what they wrote there.
MISTAKES = (("<=", "<"), (" / math.sqrt(query.shape[-1])", ""), ("!= padding_id", "> padding_id"))


@dataclass(frozen=True)
class Cost:
    """What a command took: seconds, and the peak memory of it and everything it started."""

    seconds: float
    memory: float


def submissions(folder: Path, count: int) -> None:
    """Write notebooks of a class: all different, three in four with a mistake."""
    book = json.loads((ROOT / "solutions" / f"{LESSON}.ipynb").read_text())
    for number in range(count):
        path = folder / f"learner_{number:03}" / "02" / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        slip = [] if number % 4 == 0 else [MISTAKES[number % 4 - 1]]
        path.write_text(handed_in(book, dict(slip), f"Mine: {number}."))


def handed_in(book: dict[str, Any], slip: Mapping[str, str], mine: str) -> str:
    """Return a notebook of solutions with a slip, and with a note that makes it another's."""
    cells = []
    for cell in book["cells"]:
        source = "".join(cell["source"])
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            for right, wrong in slip.items():
                source = source.replace(right, wrong)
        cells.append(cell | {"source": source})
    note = {"cell_type": "markdown", "id": "note", "metadata": {}, "source": mine}
    return json.dumps(book | {"cells": [*cells, note]})


def cost(command: list[str], folder: Path) -> Cost:
    """Run a command and measure it."""
    # nbgrader starts alembic by its name alone; and neither side gets more threads than the other.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "OMP_NUM_THREADS": "1"}
    started = time.perf_counter()
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        most = [0.0]
        watcher = threading.Thread(target=_watch, args=(process, most), daemon=True)
        watcher.start()
        code = process.wait()
    seconds = time.perf_counter() - started
    watcher.join()
    if code:
        raise SystemExit((folder / "log.txt").read_text()[-3000:])
    return Cost(seconds, most[0])


def _watch(process: subprocess.Popen[bytes], most: list[float]) -> None:
    while process.poll() is None:
        most[0] = max(most[0], _memory(process.pid))
        time.sleep(1.0)  # counting the pages that processes share stops them for a while


def _memory(pid: int) -> float:
    """Bytes of a process and all below it; pages that they share count once."""
    total = 0.0
    try:
        root = psutil.Process(pid)
        for process in [root, *root.children(recursive=True)]:
            whole = process.memory_full_info()
            total += getattr(whole, "pss", whole.uss)
    except psutil.Error:  # one of them ended meanwhile
        pass
    return total


def ours(folder: Path, count: int, jobs: int) -> Cost:
    """Grade with the course's command what was submitted to a folder, this many notebooks."""
    command = [sys.executable, "-m", "transformer_checks.cli", "grade", "submitted"]
    spent = cost([*command, "--jobs", str(jobs), "--seed", "0", "--out", "grades"], folder)
    results = json.loads((folder / "grades/grades.json").read_text())["notebooks"]
    assert [result["status"] for result in results] == ["graded"] * count
    return spent


def nbgrader(folder: Path, count: int) -> Cost:
    """Grade as many with nbgrader as installed, which takes one notebook at a time."""
    (folder / "source/02").mkdir(parents=True)
    shutil.copy(ROOT / "solutions" / f"{LESSON}.ipynb", folder / "source/02")
    submissions(folder / "submitted", count)
    command = [sys.executable, "-m", "nbgrader"]
    cost([*command, "generate_assignment", "02", "--create"], folder)
    return cost([*command, "autograde", "02", "--create"], folder)


def show(what: str, count: int, spent: Cost) -> None:
    """Print a line of the table."""
    print(
        f"{what:36} {count:4} notebooks {spent.seconds:7.1f} s "
        f"{spent.seconds / count:6.2f} s each {spent.memory / 1e9:5.2f} GB"
    )


def main() -> None:
    """Print the table, and what is promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notebooks", type=int, default=30, help="for both (%(default)s)")
    parser.add_argument("--class", type=int, default=100, dest="size", help="for ours")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time (%(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, name) for name in ("ours", "nbgrader", "class")]
        for place in places:
            place.mkdir()
        submissions(places[0] / "submitted", options.notebooks)
        mine = ours(places[0], options.notebooks, options.jobs)
        show(f"transformer-lesson grade --jobs {options.jobs}", options.notebooks, mine)
        theirs = nbgrader(places[1], options.notebooks)
        show("nbgrader autograde", options.notebooks, theirs)
        submissions(places[2] / "submitted", options.size)
        whole = ours(places[2], options.size, options.jobs)
        show(f"transformer-lesson grade --jobs {options.jobs}", options.size, whole)
    ratio, memory = theirs.seconds / mine.seconds, max(mine.memory, whole.memory) / 1e9
    promise("notebooks graded a second, in times of nbgrader's autograde", ratio, least=5)
    words = f"grading a class of {options.size} notebooks, lesson 02"
    promise(words, whole.seconds, most=180, unit="s", detail=f"{options.jobs} jobs")
    promise("memory of grading it", memory, most=3, unit="GB")


if __name__ == "__main__":
    run(main)
