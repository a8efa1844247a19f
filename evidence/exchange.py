"""``python -m evidence.exchange``: every criterion with its sides exchanged.

For each claim it lists the conditions that its criterion compares, what differs between them, and
the verdict that it would give if each had the other's runs. A criterion that says the same either
way shows nothing, unless it says something else of two sides that are known to differ.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from itertools import combinations
from typing import Any

from evidence.claim import Claim, Condition, Numbers, Pair, Runs
from evidence.claims import claims
from evidence.results import load


class Watched(Runs):
    """Runs that note which conditions a criterion reads, by number, and which it reads in pairs."""

    def __init__(self, numbers: Mapping[str, Sequence[Numbers]]) -> None:
        super().__init__(numbers)
        self.read: dict[str, dict[str, None]] = {}
        self.paired: dict[Pair, None] = {}

    def values(self, condition: str, metric: str) -> list[float]:
        """Return one number of each run, as ``Runs`` does."""
        self.read.setdefault(metric, {})[condition] = None
        return super().values(condition, metric)

    def pairs(self, one: str, other: str, metric: str) -> list[tuple[float, float]]:
        """Return one number of two conditions, as ``Runs`` does."""
        self.paired[one, other] = None
        return super().pairs(one, other, metric)


def watched(claim: Claim) -> Watched:
    """Return what the criterion of a measured claim has read."""
    runs = Watched(load(claim).runs(claim).numbers)
    claim.decide(runs)
    return runs


def compared(claim: Claim) -> list[Pair]:
    """Return the conditions that are paired run by run, or else all two of one number."""
    runs = watched(claim)
    if runs.paired:
        return list(runs.paired)
    return list(dict.fromkeys(p for names in runs.read.values() for p in combinations(names, 2)))


def exchanged(claim: Claim, pairs: Sequence[Pair]) -> str:
    """Return the verdict if the two sides of each pair had each other's runs."""
    numbers = dict(load(claim).runs(claim).numbers)
    for one, other in pairs:
        numbers[one], numbers[other] = numbers[other], numbers[one]
    return claim.decide(Runs(numbers)).word


def told_apart(claim: Claim) -> bool:
    """Say whether the verdict changes when sides are exchanged, or on sides known to differ."""
    word = claim.decide(load(claim).runs(claim)).word
    pairs = compared(claim)
    if any(exchanged(claim, [pair]) != word for pair in pairs) or exchanged(claim, pairs) != word:
        return True
    return any(exchanged(claim, [pair]) != word for pair in claim.different)


def differing(claim: Claim, pair: Pair) -> list[str]:
    """Return the settings in which two conditions differ, each with its two values."""
    one, other = (_settings(claim, c) for name in pair for c in claim.conditions if c.name == name)
    missing = "as usual"
    names = [n for n in {**one, **other} if one.get(n, missing) != other.get(n, missing)]
    return [f"{n}: {one.get(n, missing)} | {other.get(n, missing)}" for n in names]


def _settings(claim: Claim, condition: Condition) -> dict[str, Any]:
    """Write out the settings of a condition: a side's name as what it stands for, configs whole."""
    side = claim.sides.get(condition.settings.get("side", ""), {})
    settings = {**condition.settings, **side}
    if side:
        del settings["side"]
    for value in [value for value in settings.values() if is_dataclass(value)]:
        settings |= asdict(value)  # type: ignore[arg-type]
    return {name: value for name, value in settings.items() if not is_dataclass(value)}


def lines(claim: Claim) -> Iterator[str]:
    """Yield what is said of one claim."""
    word = claim.decide(load(claim).runs(claim)).word
    yield f"{claim.name}: {word}" + ("" if told_apart(claim) else "; the same either way")
    for pair in compared(claim):
        changes = "; ".join(differing(claim, pair)) or "nothing"
        yield f"    {pair[0]} <> {pair[1]}: {exchanged(claim, [pair])}. Differs in {changes}"


def main() -> int:
    """Print all claims that are measured."""
    for claim in claims().values():
        if not load(claim).missing(claim):
            print("\n".join(lines(claim)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
