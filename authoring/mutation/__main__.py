"""``python -m authoring.mutation [NAME…] [--jobs N]``: list the mutants that no check notices.

It goes on where it was stopped, so that it can be done in parts. Ends with exit code 1 if a mutant
passes that is not listed as equivalent in ``equivalents/``.
"""

import sys
from collections.abc import Iterator, Sequence

from authoring.audits.each import console, examined
from authoring.mutation.run import AUDIT, Report


def main(arguments: Sequence[str] | None = None) -> int:
    """Examine the exercises that were asked for; return 1 if a check has a hole."""
    reports = examined(AUDIT, _lines, arguments)
    killed, survived = sum(r.killed for r in reports), sum(len(r.survived) for r in reports)
    console().print(f"{killed} killed, {survived} survived: {killed / (killed + survived):.2%}")
    return 1 if survived or any(report.stale for report in reports) else 0


def _lines(name: str, report: Report) -> Iterator[str]:
    yield (
        f"{name}: {report.killed} killed, {report.equivalent} equivalent, "
        f"{len(report.survived)} survived"
    )
    yield from (f"  survived: {change}" for change in report.survived)
    yield from (f"  no mutant any more: {change}" for change in report.stale)


if __name__ == "__main__":
    sys.exit(main())
