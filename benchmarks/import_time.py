"""Print what ``import transformer_lesson`` costs beyond ``import torch``.

Each import runs in a fresh process, whose start and end are part of both times.
"""

import subprocess
import sys
from functools import partial

from benchmarks.harness import medians, promise, rounds, run

REPEATS = 7
STATEMENTS = ("import torch", "import torch, transformer_lesson")


def started(statement: str) -> None:
    """Run ``statement`` in a fresh Python."""
    subprocess.run([sys.executable, "-c", statement], check=True)


def main() -> None:
    """Print both medians and their difference."""
    rivals = [partial(started, statement) for statement in STATEMENTS]
    usual, ours = (1000 * median for median in medians(rounds(rivals, REPEATS)))
    for statement, median in zip(STATEMENTS, (usual, ours), strict=True):
        print(f"{statement:<34} {median:7.0f} ms (median of {REPEATS})")
    words = "importing the package, beyond importing torch"
    promise(words, ours - usual, most=50, unit="ms", detail=f"medians of {REPEATS}")


if __name__ == "__main__":
    run(main)
