"""``python -m authoring.bases NAME``: find the numbers that an exercise's models come from.

Whether a mistake shows in decoding depends on the model: on which text ends first, on which
beginning leads into a worse end. Such models are rare, so some exercises name them by the numbers
that they are drawn from, ``BASES``. For each place in it this prints the numbers that serve: the
answer has the shape that it has now, every slip shows that shows now, and no choice is nearly a
tie, whatever noise a seed adds. Ends with exit code 1 where the present number does not serve.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import islice

import torch

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.fingerprint import as_bytes
from notebook_judge.checks.judge import is_right
from notebook_judge.checks.reference import given_by, outcome_of, reference
from transformer_checks.catalogue import CHECKS
from transformer_lesson import seeded

SEEDS = range(3)
ENOUGH = 3  # numbers for a place

Shown = tuple[list[torch.Size], frozenset[str]]


def bases_of(check: Check) -> tuple[int, ...]:
    """The numbers that an exercise's models are drawn from; none where it needs no rare model."""
    return getattr(sys.modules[check.draw.__module__], "BASES", ())


def with_base(check: Check, place: int, base: int, seed: int) -> list[Case]:
    """The cases of a seed that another number at a place of ``BASES`` changes, drawn with it."""
    now, other, given = (_drawn(check, place, number, seed) for number in (None, -1, base))
    return [case for one, two, case in zip(now, other, given, strict=True) if _differ(one, two)]


def _drawn(check: Check, place: int, base: int | None, seed: int) -> list[Case]:
    module, bases = sys.modules[check.draw.__module__], bases_of(check)
    number = bases[place] if base is None else base % 2**32
    setattr(module, "BASES", (*bases[:place], number, *bases[place + 1 :]))  # noqa: B010
    try:
        return check.draw(seeded(seed))
    finally:
        setattr(module, "BASES", bases)  # noqa: B010


def _differ(one: Case, two: Case) -> bool:
    return b"".join(as_bytes(one)) != b"".join(as_bytes(two))


def shown(check: Check, cases: Sequence[Case]) -> Shown | None:
    """The shapes of the right answers, and the slips that show; None where rounding decides."""
    if not all(is_right(check, case, given_by(check.right, check, case)) for case in cases):
        return None
    shapes = [v.shape for case in cases for v in reference(check, case).values.values()]
    slips = (
        slip.name
        for slip in check.known_slips
        if not all(is_right(check, case, outcome_of(check, slip, case)) for case in cases)
    )
    return shapes, frozenset(slips)


def serving(check: Check, place: int, numbers: Sequence[int]) -> Iterator[int]:
    """Those of ``numbers`` that serve at a place of ``BASES``."""
    present = bases_of(check)[place]
    needed = [shown(check, with_base(check, place, present, seed)) for seed in SEEDS]
    for number in numbers:
        found = (shown(check, with_base(check, place, number, seed)) for seed in SEEDS)
        pairs = zip(found, needed, strict=True)
        if all(one and two and one[0] == two[0] and one[1] >= two[1] for one, two in pairs):
            yield number


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the numbers that serve at each place; return 1 if a present one does not."""
    parser = argparse.ArgumentParser("python -m authoring.bases", description=__doc__)
    parser.add_argument("name", choices=[name for name in CHECKS if bases_of(CHECKS[name])])
    parser.add_argument("--most", type=int, default=1000, help="the largest number to try")
    wanted = parser.parse_args(arguments)
    check, unfit = CHECKS[wanted.name], 0
    for place, present in enumerate(bases_of(check)):
        serves = [*serving(check, place, [present])]
        unfit += not serves
        others = [*islice(serving(check, place, range(wanted.most)), ENOUGH)]
        print(f"{place}: {present} {'serves' if serves else 'does not serve'}; first: {others}")
    return int(unfit > 0)


if __name__ == "__main__":
    sys.exit(main())
