"""What the benchmarks share: a clock, rounds in which rivals take turns, and promises."""

import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence

Action = Callable[[], object]
Clock = Callable[[], float]
_broken: list[str] = []


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
    words: str, value: float, *, most: float = math.inf, least: float = -math.inf, unit: str = ""
) -> None:
    """Print ``words`` and, where there is one, what is promised of ``value``."""
    bounds = (("at most", most), ("at least", least))
    promised = [f"{how} {bound:,.7g}{unit}" for how, bound in bounds if math.isfinite(bound)]
    print(words + (f" (promised: {', '.join(promised)})" if promised else ""), flush=True)
    if not least <= value <= most:
        _broken.append(words)


def run(measure: Action) -> None:
    """Measure, and end the process: with 1 if a promise was broken."""
    measure()
    sys.exit(bool(_broken))
