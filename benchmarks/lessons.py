"""Seconds that each lesson, lab and solution takes from top to bottom, kernel start included."""

import sys
import time

import nbformat

from authoring.execute import FOLDERS, ROOT, execute

PROMISED = {"02_self_attention": 40.0, "10_translation": 480.0}
OTHERWISE = 180.0


def main() -> int:
    """Print seconds beside what is promised; return 1 if a promise is broken."""
    broken = False
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.ipynb")):
            notebook = nbformat.read(path, as_version=4)
            start = time.perf_counter()
            execute(notebook, path.parent)
            seconds = time.perf_counter() - start
            promised = PROMISED.get(path.stem, OTHERWISE)
            broken |= seconds > promised
            print(f"{folder}/{path.stem:32} {seconds:6.1f} s (promised: {promised:.0f} s)")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
