"""``python -m authoring.audits.unnamed [NAME…]``: what would be said of each slip without its name.

A slip earns its place where the symptom would say nothing (``bare``) or only where it shows
(``place``), or would speak of another mistake (``taken for``). Where the numbers tell (``symptom``)
it does so only if people make the mistake.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

from authoring.audits.audit import start
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.judge import judge
from notebook_judge.checks.reference import outcome_of
from transformer_checks.catalogue import CHECKS

BARE = re.compile(r" of `\w+` is wrong (in every case|with )")
_PLACE = re.compile(
    r" is right with .* and wrong with | is wrong, and .* right$| is wrong at index "
)


def without_names(check: Check) -> Iterator[tuple[str, str, str]]:
    """Judge each slip as if the exercise did not know it: its name, the kind, and the words."""
    cases = check.cases(0)
    for slip in check.slips:
        others = tuple(one for one in check.slips if one is not slip)
        outcomes = [outcome_of(check, slip, case) for case in cases]
        verdict = judge(replace(check, slips=others), cases, outcomes)
        kind = "place" if _PLACE.search(verdict.headline) else "symptom"
        kind = "bare" if BARE.search(verdict.headline) else kind
        if verdict.slip in {one.name for one in others} or "looks as if" in verdict.headline:
            kind = "taken for"
        yield slip.name, kind, verdict.headline


def _examine(name: str) -> list[tuple[str, str, str]]:
    return list(without_names(CHECKS[name]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each slip, and for each exercise how many are of which kind."""
    parser = argparse.ArgumentParser("python -m authoring.audits.unnamed", description=__doc__)
    parser.add_argument("names", nargs="*", help="exercises whose names hold one of these")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    wanted = parser.parse_args(arguments)
    names = [n for n in CHECKS if not wanted.names or any(part in n for part in wanted.names)]
    total = Counter[str]()
    with ProcessPoolExecutor(wanted.jobs, get_context("spawn"), start) as pool:
        for name, found in zip(names, pool.map(_examine, names), strict=True):
            kinds = Counter(kind for _, kind, _ in found)
            total.update(kinds)
            print(f"{name}: {_counts(kinds)}")
            for slip, kind, words in found:
                print(f"  {kind:<9}  {slip}: {words}")
    print(f"{total.total()} slips: {_counts(total)}")
    return 0


def _counts(kinds: Counter[str]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())


if __name__ == "__main__":
    sys.exit(main())
