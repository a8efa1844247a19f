"""``python -m authoring.mutation [NAME…] [--jobs N]``: list the mutants that no check notices.

It takes some ten minutes for all exercises on two cores, and goes on where it was stopped. Ends
with exit code 1 if a mutant passes that is not listed as equivalent in ``equivalents/``.
"""

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.progress import Progress

from authoring.mutation.run import Report, examine_all
from transformer_checks.catalogue import CHECKS


def main(arguments: Sequence[str] | None = None) -> int:
    """Examine the exercises that were asked for; return 1 if a check has a hole."""
    parser = argparse.ArgumentParser("python -m authoring.mutation", description=__doc__)
    parser.add_argument("names", nargs="*", help="exercises whose names hold one of these")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    wanted = parser.parse_args(arguments)
    names = [n for n in CHECKS if not wanted.names or any(part in n for part in wanted.names)]
    if not names:
        parser.error(f"no exercise has a name with {' or '.join(wanted.names)} in it")
    console = Console(highlight=False, soft_wrap=True)
    reports: list[Report] = []
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        for report in progress.track(examine_all(names, wanted.jobs), len(names)):
            reports.append(report)
            console.print(f"{report.exercise}: {_words(report)}", markup=False)
            for change in report.survived:
                console.print(f"  survived: {change}", markup=False)
            for change in report.stale:
                console.print(f"  no mutant any more: {change}", markup=False)
    killed, survived = sum(r.killed for r in reports), sum(len(r.survived) for r in reports)
    console.print(f"{killed} killed, {survived} survived: {killed / (killed + survived):.2%}")
    return 1 if survived or any(report.stale for report in reports) else 0


def _words(report: Report) -> str:
    return (
        f"{report.killed} killed, {report.equivalent} equivalent, {len(report.survived)} survived"
    )


if __name__ == "__main__":
    sys.exit(main())
