"""Seconds that each lesson, lab and solution takes from top to bottom, kernel start included."""

from functools import partial

import nbformat

from authoring.execute import FOLDERS, ROOT, execute
from benchmarks.harness import promise, run, seconds

PROMISED = {"02_self_attention": 40.0, "10_translation": 480.0}
OTHERWISE = 180.0


def main() -> None:
    """Print seconds beside what is promised."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.ipynb")):
            taken = seconds(partial(execute, nbformat.read(path, as_version=4), path.parent))
            most = PROMISED.get(path.stem, OTHERWISE)
            promise(f"{folder}/{path.stem} from top to bottom", taken, most=most, unit="s")


if __name__ == "__main__":
    run(main)
