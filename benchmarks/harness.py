"""What the benchmarks share: a clock, rounds in which rivals take turns, and promises."""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

Action = Callable[[], object]
Clock = Callable[[], float]
RECORD = "COURSE_BENCHMARK_RECORD"  # the variable that names the file for what was measured


@dataclass(frozen=True)
class Measured:
    """One figure and its bounds, None where nothing is promised."""

    what: str
    value: float
    unit: str = ""
    most: float | None = None
    least: float | None = None
    detail: str = ""

    @property
    def kept(self) -> bool:
        """Whether the figure keeps what is promised of it."""
        below = self.most is None or self.value <= self.most
        return below and (self.least is None or self.value >= self.least)

    @property
    def shown(self) -> str:
        """The figure with its unit."""
        return number(self.value, self.unit)

    @property
    def promised(self) -> str:
        """The bound with its unit."""
        bounds = {"at most": self.most, "at least": self.least}
        given = {how: bound for how, bound in bounds.items() if bound is not None}
        return ", ".join(f"{how} {number(bound, self.unit)}" for how, bound in given.items())


_all: list[Measured] = []


def number(value: float, unit: str) -> str:
    """Three digits, or all where there are more before the point."""
    digits = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{digits} {unit}".strip()


def seconds(action: Action, clock: Clock = time.perf_counter) -> float:
    """Return how long one call takes."""
    start = clock()
    action()
    return clock() - start


def rounds(
    rivals: Sequence[Action], repeats: int, clock: Clock = time.perf_counter
) -> list[list[float]]:
    """Return the seconds of each rival in each round, after one that is not counted.

    A slow moment of the machine hits all; and as they take turns at going first, one that slows
    down favours none.
    """
    for rival in rivals:
        rival()
    taken, places = [], range(len(rivals))
    for number in range(repeats):
        order = places if number % 2 else reversed(places)
        found = {place: seconds(rivals[place], clock) for place in order}
        taken.append([found[place] for place in places])
    return taken


def medians(rounds: Sequence[Sequence[float]]) -> list[float]:
    """Return the median of each rival."""
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


def promise(
    what: str,
    value: float,
    *,
    most: float | None = None,
    least: float | None = None,
    unit: str = "",
    detail: str = "",
) -> None:
    """Print and keep a figure and, where there is one, what is promised of it.

    ``what`` names the figure and stays the same from run to run; ``detail`` is what else this run
    has to tell.
    """
    found = Measured(what, float(value), unit, most, least, detail)
    told = f" (promised: {found.promised})" if found.promised else ""
    broken = "" if found.kept else "  BROKEN"
    print(f"{what}: {found.shown}{told}{broken}" + (f"; {detail}" if detail else ""), flush=True)
    _all.append(found)


def run(measure: Action) -> None:
    """Measure, and end the process: with 1 if a promise was broken."""
    try:
        measure()
    finally:
        if place := os.environ.get(RECORD):
            Path(place).write_text(json.dumps([asdict(one) for one in _all]), encoding="utf-8")
    sys.exit(not all(one.kept for one in _all))
