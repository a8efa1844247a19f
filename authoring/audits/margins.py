"""``python -m authoring.audits.margins [NAME…]``: cases in which rounding comes near the tolerance.

The solution is called in float32 on the cases of many seeds. Where its rounding takes more than
half of the tolerance, a right answer in another style, or with another seed, might be refused.
That is mended by numbers that float32 holds exactly, or by smaller ones.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from authoring.audits.each import Audit, condensed, console, drawn_by, examined
from transformer_checks.catalogue import CHECKS
from transformer_checks.checks.calls import call
from transformer_checks.checks.cases import Case, Outcome
from transformer_checks.checks.compare import reference, tolerance
from transformer_checks.checks.exercise import Check

SEEDS = range(100, 300)  # others than the gate's; rounding is seldom at its worst
MOST = 1 / 2  # of the tolerance


@dataclass(frozen=True)
class Report:
    """How near the solution of one exercise comes to being refused.

    Attributes:
        findings: the largest share of the tolerance in each case in which it is above a half.
    """

    findings: list[str]


def share(check: Check, case: Case, outcome: Outcome) -> float:
    """The largest share of the tolerance that an outcome takes."""
    largest = 0.0
    for name, expected in reference(check, case).values.items():
        wanted = expected.double()
        allowed = tolerance(check, name, wanted) + check.rtol * wanted.abs()
        apart = (outcome.values[name].double() - wanted).abs() / allowed
        finite = apart[wanted.isfinite()]
        largest = max(largest, finite.max().item() if finite.numel() else 0.0)
    return largest


def examine(name: str) -> Report:
    """Measure the rounding of one exercise's solution."""
    check = CHECKS[name]
    if check.rubric:  # points by what is reached, and no tolerance
        return Report([])
    worst: dict[str, tuple[float, int]] = {}
    answer = check.text.run()
    for seed in SEEDS:
        for case in check.cases(seed):
            took = share(check, case, call(answer, case, check.returns))
            worst[case.label] = max(worst.get(case.label, (0.0, seed)), (took, seed))
    return Report(
        [
            f"{took:.2f} (seed {seed}): {label}"
            for label, (took, seed) in worst.items()
            if took > MOST
        ]
    )


def fingerprint(name: str) -> str:
    """Condense what rounding rests on."""
    check = CHECKS[name]
    return condensed(drawn_by(check), check.text, check.rtol, check.atol, SEEDS, MOST)


AUDIT = Audit("audits.margins", Report, examine, fingerprint)


def _lines(name: str, report: Report) -> Iterator[str]:
    yield f"{name}: {len(report.findings)} to mend"
    yield from (f"  takes {words}" for words in report.findings)


def main(arguments: Sequence[str] | None = None) -> int:
    """Examine the exercises that were asked for; return 1 if a case is to be mended."""
    reports = examined(AUDIT, _lines, arguments)
    found = sum(len(report.findings) for report in reports)
    console().print(f"{found} to mend")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
