"""``python -m authoring.audits [NAME…] [--only AUDIT…]``: look for holes in the checks.

Results are kept in ``build/audits/``: what rests on the same cases and the same solution is not
looked at again. Ends with exit code 1 if there is something to mend, or an audit could not run.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.progress import Progress

from authoring.audits import conditions, frozen, inputs, mutation, names
from transformer_checks.catalogue import CHECKS
from transformer_lesson.flash.interpret import use_interpreter

AUDITS = {one.AUDIT.name: one.AUDIT for one in (mutation, frozen, inputs, conditions, names)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Examine the exercises that were asked for; return 1 if there is something to mend."""
    parser = argparse.ArgumentParser(
        "python -m authoring.audits",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="exercises whose names hold one of these")
    parser.add_argument("--only", nargs="+", choices=AUDITS, default=list(AUDITS), metavar="AUDIT")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    wanted = parser.parse_args(arguments)
    chosen = [n for n in CHECKS if not wanted.names or any(part in n for part in wanted.names)]
    if not chosen:
        parser.error(f"no exercise has a name with {' or '.join(wanted.names)} in it")
    use_interpreter()  # before anything imports Triton
    console = Console(highlight=False, soft_wrap=True)
    to_mend = 0
    for audit in map(AUDITS.__getitem__, wanted.only):
        total, found = Counter[str](), 0
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            running = audit.run(chosen, wanted.jobs)
            for name, report in bar.track(running, len(chosen), description=audit.name):
                total.update(report.counts)
                found += len(report.findings)
                for words in report.findings:
                    console.print(f"{audit.name}: {name}: {words}", markup=False)
        counts = ", ".join(f"{number:,} {what}" for what, number in total.items())
        console.print(f"{audit.name}: {counts}; {found} to mend in {len(chosen)} exercises")
        to_mend += found
    return int(to_mend > 0)


if __name__ == "__main__":
    sys.exit(main())
