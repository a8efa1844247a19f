"""The first figures of a GPU, in minutes: compile, check, time, then search, and keep each step.

    python -m benchmarks.first_gpu --minutes 6

It needs PyTorch, Triton and NumPy, and no install. Each row is written to ``first-gpu-DEVICE.json``
and ``.txt`` as soon as it is known, so that a run cut short keeps what it had. What fails is a row
too, and the exit code is 0 whatever was found. ``--dry`` goes through the same code without a GPU:
kernels interpreted at tiny sizes, and a false clock, which every figure of it names.
"""

import argparse
import json
import math
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from transformer_lesson.flash.interpret import use_interpreter

RESULTS = Path(__file__).parent / "results"
GRACE_S = 45  # what a hanging kernel may take beyond the minutes before the process ends itself
Row = dict[str, Any]


class Report:
    """What is known so far, in two files that are whole at any time."""

    def __init__(self, folder: Path, name: str, seconds: float) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.files = [folder / f"{name}.{kind}" for kind in ("json", "txt")]
        self.start, self.seconds, self.rows = time.monotonic(), seconds, list[Row]()

    @property
    def left(self) -> float:
        """Seconds until the time is up."""
        return self.start + self.seconds - time.monotonic()

    def add(self, step: str, what: str, **found: Any) -> None:
        """Keep one row, and print it."""
        at = round(time.monotonic() - self.start, 1)
        row = {"step": step, "what": what, "at": at, **{k: _known(v) for k, v in found.items()}}
        self.rows.append(row)
        print(line(row), flush=True)
        texts = json.dumps(self.rows, indent=1) + "\n", "".join(f"{line(r)}\n" for r in self.rows)
        for file, text in zip(self.files, texts, strict=True):
            half = file.with_name(file.name + ".part")
            half.write_text(text, encoding="utf-8")
            os.replace(half, file)

    def run(self, step: Callable[["Report"], Iterator[tuple[str, Row]]], name: str) -> None:
        """Take rows of a step until it or the time ends; a fault is a row, and ends the step."""
        if self.left <= 0:
            self.add(name, "not begun: the time is up")
            return
        try:
            for what, found in step(self):
                self.add(name, what, **found)
                if self.left <= 0:
                    self.add(name, "stopped here: the time is up")
                    return
        except Exception as error:
            told = "".join(traceback.format_exception(error)[-3:])
            self.add(name, "failed", error=f"{type(error).__name__}: {error}", trace=told)

    def end_at_last(self) -> None:
        """End the process where a kernel or the compiler hangs: what is known is in the files."""

        def watch() -> None:
            time.sleep(self.seconds + GRACE_S)
            self.add("end", "something hung; ended by force")
            os._exit(0)

        threading.Thread(target=watch, daemon=True).start()


def line(row: Row) -> str:
    """A row as one line of the table."""
    found = {k: v for k, v in row.items() if k not in ("step", "what", "at", "trace")}
    words = "  ".join(f"{name} {_short(value)}" for name, value in found.items())
    return f"{row['at']:6.1f} s  {row['step']}: {row['what']}  {words}".rstrip()


def _known(value: object) -> object:
    """None for NaN, which says that something cannot run, and which JSON does not know."""
    return None if isinstance(value, float) and math.isnan(value) else value


def _short(value: object) -> object:
    return f"{value:.4g}" if isinstance(value, float) else "-" if value is None else value


def main() -> int:
    """Go through the steps; always 0."""
    parser = argparse.ArgumentParser("python -m benchmarks.first_gpu", description=__doc__)
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--out", type=Path, default=RESULTS, help="the folder for the results")
    parser.add_argument("--only", nargs="+", metavar="STEP", help="such as: device search")
    parser.add_argument("--dry", action="store_true", help="without a GPU: nothing is measured")
    asked = parser.parse_args()
    if asked.dry:
        use_interpreter()  # before anything imports Triton
    import torch

    from benchmarks import steps_gpu

    if not asked.dry and not torch.cuda.is_available():
        print("No GPU here, so nothing was measured. --dry tries the steps without one.")
        return 0
    device = "dry-run" if asked.dry else torch.cuda.get_device_name().replace(" ", "-")
    report = Report(asked.out, f"first-gpu-{device}", 60 * asked.minutes)
    report.end_at_last()
    for step in steps_gpu.steps(dry=asked.dry):
        if not asked.only or step.__name__ in asked.only:
            report.run(step, step.__name__.replace("_", " "))
    print(f"Written: {', '.join(str(file) for file in report.files)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
