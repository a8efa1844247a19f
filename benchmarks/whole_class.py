"""Grade 1,000 notebooks in one run, and open their page: all lessons, three in four with a slip.

It takes minutes; ``python -m benchmarks.whole_class --notebooks 40`` is a small one.
"""

import argparse
import json
import os
import statistics
import tempfile
from pathlib import Path

from benchmarks.class_page import opened
from benchmarks.grading import ROOT, handed_in, ours, show
from benchmarks.harness import promise, run
from transformer_checks.catalogue import of_lesson


def submissions(folder: Path, count: int) -> None:
    """Write the notebooks: of each lesson, its solutions with one of its slips after the other."""
    solutions = sorted((ROOT / "solutions").glob("*.ipynb"))
    for number in range(count):
        learner, lesson = divmod(number, len(solutions))
        path = solutions[lesson]
        slips = [slip.edits for check in of_lesson(path.stem) for slip in check.slips]
        slip = slips[learner % len(slips)] if number % 4 else {}
        place = folder / f"learner_{learner:03}" / path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(handed_in(json.loads(path.read_text()), slip, f"Mine: {number}."))


def main() -> None:
    """Grade, and open the page."""
    parser = argparse.ArgumentParser("python -m benchmarks.whole_class", description=__doc__)
    parser.add_argument("--notebooks", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time (%(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        submissions(Path(place, "submitted"), options.notebooks)
        before = os.getloadavg()[0]
        spent = ours(Path(place), options.notebooks, options.jobs)
        show(f"grade --jobs {options.jobs}, all lessons", options.notebooks, spent)
        print(f"the load was {before:.0f} before and {os.getloadavg()[0]:.0f} after")
        page = Path(place, "grades", "index.html")
        taken = statistics.median(opened(page))
        print(f"its page has {page.stat().st_size:,} bytes")
    promise("opening the page of 1,000 notebooks of all lessons", taken, most=1, unit="s")
    words = "memory of grading 1,000 notebooks of all lessons"
    promise(words, spent.memory / 1e9, most=3, unit="GB", detail=f"{spent.seconds:.0f} s")


if __name__ == "__main__":
    run(main)
