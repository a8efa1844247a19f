"""Seconds that each check takes: for a right answer, and for the slowest slip."""

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.harness import promise, run, seconds
from notebook_judge.checks.calls import call
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.judge import judge
from transformer_checks.catalogue import CHECKS


def judged(check: Check, answer: Callable[..., Any]) -> None:
    """Judge an answer; the course's own are not watched for shortcuts, as a learner's is."""
    cases = check.cases(seed=0)
    judge(check, cases, [call(answer, case, check.returns) for case in cases])


def main() -> None:
    """Print seconds for each check, and the most of all."""
    slowest, name = 0.0, ""
    for check in CHECKS.values():
        right = seconds(partial(judged, check, check.right))
        wrong = max(seconds(partial(judged, check, check.wrong(slip))) for slip in check.slips)
        slowest, name = max((slowest, name), (right, check.name), (wrong, check.name))
        print(f"{check.name:28} right {right:6.3f} s, wrong {wrong:6.3f} s")
    words = f"the slowest of all {len(CHECKS)} checks"
    promise(words, slowest, most=2, unit="s", detail=name)


if __name__ == "__main__":
    run(main)
