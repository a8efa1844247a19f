"""What becomes of the effects of claims when their sides train longer.

Written before the runs. The sides are those that a claim's criterion pairs, in lesson 11 of the
claims one of whose mean gains is at least the margin of "as well", 0.024 nats: two runs could not
tell smaller ones. They train four times as many steps with the first two seeds, at the rate that
was chosen for the shorter training and a tenth of the steps as warm-up. The sign of a pair is that
of its mean gain, where the 95 % interval over the claim's own runs leaves out 0; where it holds 0
there is none. A sign *stays* if all longer runs have it, *turns* if all have the other, and is
*open* if they differ. Two runs say nothing of sizes but how far they move: the mean of the two
beside the mean of the same two seeds before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Literal

from evidence.claim import Claim, Pair
from evidence.claims import claims
from evidence.exchange import watched
from evidence.interval import interval

Sign = Literal["none before", "stays", "turns", "open"]


@dataclass(frozen=True)
class Later:
    """The gains of the first side of a pair over the second: how much lower its number is.

    Attributes:
        pair: the two conditions.
        before: of each run of the claim.
        after: of each longer run, which has the seed of the run before at the same place.
    """

    pair: Pair
    before: Sequence[float]
    after: Sequence[float]

    @property
    def sign(self) -> Sign:
        """What becomes of the sign."""
        known = interval(self.before)
        if known.low <= 0 <= known.high:
            return "none before"
        same = {(gain > 0) == (known.middle > 0) for gain in self.after}
        return "open" if len(same) > 1 else "stays" if True in same else "turns"

    @property
    def left(self) -> float:
        """The share of the gain of the same seeds that is left."""
        return mean(self.after) / mean(self.before[: len(self.after)])

    def __str__(self) -> str:
        gains = " and ".join(f"{gain:+.3f}" for gain in self.after)
        return f"{gains} ({self.pair[0]} against {self.pair[1]}; the sign: {self.sign})"


def later(claim: Claim) -> list[Later]:
    """Return what becomes of those pairs of a measured claim that have longer runs.

    Only gains in a loss are asked for: of a side that is better the number is lower.
    """
    runs, found = watched(claim), []
    for one, other in list(runs.paired) if claim.longer else []:
        longer = one + claim.longer, other + claim.longer
        if {*longer} <= {*runs.conditions}:
            before, after = (
                [second - first for first, second in runs.pairs(*pair, claim.metric)]
                for pair in ((one, other), longer)
            )
            found.append(Later((one, other), before, after))
    return found


def told() -> str:
    """Return in one sentence what becomes of the pairs of all claims that have a sign."""
    pairs = [one for claim in claims().values() for one in later(claim)]
    found = [one for one in pairs if one.sign != "none before"]
    signs, left = [one.sign for one in found], [one.left for one in found]
    stay, turn, differ = (signs.count(word) for word in ("stays", "turns", "open"))
    return (
        f"of {len(found)} signs {stay} stay, {turn} turn and {differ} differ between the runs, and "
        f"of the gains of the same seeds {min(left):.0%} to {max(left):.0%} are left"
    )
