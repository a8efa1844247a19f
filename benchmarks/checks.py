"""Seconds that each check takes: for a right answer, and for the slowest slip."""

import sys
import time
from collections.abc import Callable
from typing import Any

from transformer_checks.catalogue import CHECKS
from transformer_checks.checks.calls import call
from transformer_checks.checks.exercise import Check
from transformer_checks.checks.judge import judge

PROMISED = 2.0


def seconds(check: Check, answer: Callable[..., Any]) -> float:
    """Time a check; the course's own answers are not watched for shortcuts, as a learner's is."""
    start = time.perf_counter()
    cases = check.cases(seed=0)
    judge(check, cases, [call(answer, case, check.returns) for case in cases])
    return time.perf_counter() - start


def main() -> int:
    """Print seconds for each check; return 1 if one takes longer than promised."""
    slowest = 0.0
    for check in CHECKS.values():
        right = seconds(check, check.right)
        wrong = max(seconds(check, check.wrong(slip)) for slip in check.slips)
        slowest = max(slowest, right, wrong)
        print(f"{check.name:28} right {right:6.3f} s, wrong {wrong:6.3f} s")
    print(f"{'the slowest':28} {slowest:6.3f} s (promised: {PROMISED:.0f} s)")
    return int(slowest > PROMISED)


if __name__ == "__main__":
    sys.exit(main())
