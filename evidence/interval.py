"""A mean, or a share of runs, with its 95 % interval: what a verdict says beside a number."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean, stdev

# Student's t, 97.5 %, by degrees of freedom: of those between, the next lower one is taken.
STUDENT = {1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306}
STUDENT |= {9: 2.262, 14: 2.145, 19: 2.093, 29: 2.045, 59: 2.001}


@dataclass(frozen=True)
class Interval:
    """A middle and the two ends of its 95 % interval; formats write all three alike."""

    middle: float
    low: float
    high: float

    def __format__(self, form: str) -> str:
        return f"{self.middle:{form}} ({self.low:{form}} to {self.high:{form}})"

    def map(self, rising: Callable[[float], float]) -> "Interval":
        """Return the interval of what a rising function makes of the number."""
        return Interval(*map(rising, (self.middle, self.low, self.high)))


def interval(values: Sequence[float]) -> Interval:
    """Return the mean of independent runs with its 95 % interval (Student's t).

    Raises:
        ValueError: there are fewer than two.
    """
    if len(values) < 2:
        raise ValueError(f"an interval takes two runs or more, and there are {len(values)}")
    middle, times = mean(values), STUDENT[max(n for n in STUDENT if n < len(values))]
    reach = times * stdev(values) / math.sqrt(len(values))
    return Interval(middle, middle - reach, middle + reach)


def rate(count: int, runs: int) -> Interval:
    """Return the share of runs in which something holds, with Wilson's 95 % interval."""
    share, z = count / runs, 1.96
    middle = (share + z**2 / (2 * runs)) / (1 + z**2 / runs)
    reach = math.sqrt(share * (1 - share) / runs + (z / (2 * runs)) ** 2) * z / (1 + z**2 / runs)
    return Interval(share, middle - reach, middle + reach)
