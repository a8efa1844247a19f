"""Notebooks that take too much of time, memory, output or disk; notebooks/ holds the others."""

from tests.grading.battery.submission import Submission, around, stored

SUBMISSIONS = (
    *stored("resources"),
    Submission("a literal of half a megabyte", around(["x = [" + "1, " * 170_000 + "]"])),
    Submission("hundreds of magics in a cell", around(["%pwd\n" * 600])),
    Submission("40 kB with a hundred magics", around([("%pwd\n" + "x = 1\n" * 70) * 100])),
)
