"""Measure the claims of the course: ``python -m evidence [NAME…]``, or ``make evidence``.

Runs that are stored are not made again, unless the module of their claim has changed. A run that
was stopped goes on where it was. At the end the table in evidence/README.md is made anew.

``--shift 1000`` doubts instead: it measures with the seeds from 1000 on, keeps these runs in
``build/evidence/1000``, leaves the table alone, and says where another verdict came out.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from evidence.claim import Claim
from evidence.claims import claims
from evidence.measuring import measure_all
from evidence.results import FOLDER, load
from evidence.table import write


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is missing; return 1 where a claim's runs could not be made."""
    wanted = _options(arguments)
    chosen = [c for c in claims().values() if not wanted.names or _named(c, wanted.names)]
    if not chosen:
        print(f"No claim has a name with {' or '.join(wanted.names)} in it. Names: ", end="")
        print(", ".join(claims()))
        return 2
    console = Console(highlight=False, soft_wrap=True)
    folder = Path("build", "evidence", str(wanted.shift)) if wanted.shift else FOLDER
    try:
        measured = {claim.runs_of or claim.name for claim in chosen}
        own = [claim for name, claim in claims().items() if name in measured]
        failed = measure_all(own, wanted.jobs, console, folder, wanted.shift)
    except KeyboardInterrupt:
        console.print("Stopped. What was measured is kept; the same command goes on from there.")
        return 130
    turned = False
    for claim in chosen:
        if (claim.runs_of or claim.name) in failed:
            continue
        verdict = claim.decide(load(claim, folder).runs(claim))
        console.print(f"{claim.name}: {verdict.word}. {verdict.because}", markup=False)
        if wanted.shift and verdict.word != (told := claim.decide(load(claim).runs(claim)).word):
            console.print(f"    The course says: {told}.", markup=False)
            turned = True
    if not wanted.shift:
        write(chosen)
    return 1 if failed or turned else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m evidence", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="claims whose names hold one of these; else all")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parser.add_argument("--jobs", type=int, default=cores or 1, help="runs at once (%(default)s)")
    parser.add_argument("--shift", type=int, default=0, help="for other seeds, the first of them")
    return parser.parse_args(arguments)


def _named(claim: Claim, names: Sequence[str]) -> bool:
    return any(part in claim.name for part in names)


if __name__ == "__main__":
    sys.exit(main())
