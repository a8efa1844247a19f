"""Print what ``import transformer_lesson`` costs beyond ``import torch``.

Each import is timed inside a fresh process; the two kinds take turns, so that a slow moment of
the machine hits both.
"""

import statistics
import subprocess
import sys

REPEATS = 7
PROMISED_MS = 50
TIMED = "from time import perf_counter as now; start = now(); {}; print((now() - start) * 1000)"


def milliseconds(statement: str) -> float:
    """Return how long ``statement`` takes in a fresh Python."""
    command = [sys.executable, "-c", TIMED.format(statement)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> int:
    """Print both medians and their difference; return 1 if it is more than was promised."""
    statements = ("import torch", "import torch, transformer_lesson")
    for statement in statements:
        milliseconds(statement)  # The first import reads the files from disk.
    rounds = [[milliseconds(statement) for statement in statements] for _ in range(REPEATS)]
    medians = [statistics.median(column) for column in zip(*rounds, strict=True)]
    for statement, median in zip(statements, medians, strict=True):
        print(f"{statement:<34} {median:7.0f} ms (median of {REPEATS})")
    beyond = medians[1] - medians[0]
    print(f"{'difference':<34} {beyond:7.0f} ms (promised: at most {PROMISED_MS} ms)")
    return 1 if beyond > PROMISED_MS else 0


if __name__ == "__main__":
    sys.exit(main())
