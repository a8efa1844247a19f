"""What decides whether an edit gains, or does as well: intervals of the mean over pairs of runs."""

from collections.abc import Callable, Iterable

from evidence.claim import Pair, Runs, Verdict
from evidence.interval import Interval, interval

LOSS = "loss"
WARMUP = "warm-up: a tenth of the steps"  # no side has chosen its own
# Half of the smallest gain that lesson 11's table calls one: .048 nats, experts in today's block.
MARGIN = 0.024


def gain(runs: Runs, pair: Pair) -> Interval:
    """Return by how many nats the first side's loss is lower, as a mean over pairs of runs."""
    return interval([without - with_it for with_it, without in runs.pairs(*pair, LOSS)])


def said(runs: Runs, pairs: Iterable[Pair]) -> str:
    """Return the mean gain of each pair of sides, with its interval."""
    return f"Nats gained, mean and 95 % interval: {listed(runs, pairs)}."


def listed(runs: Runs, pairs: Iterable[Pair]) -> str:
    """Return the mean gains of pairs of sides, each with its interval, in a row."""
    return ", ".join(f"{gain(runs, pair):+.3f} ({pair[0]} against {pair[1]})" for pair in pairs)


def lower(*pairs: Pair) -> Callable[[Runs], Verdict]:
    """Return what decides whether an edit lowers the loss in each of two blocks."""

    def decide(runs: Runs) -> Verdict:
        """Ten seeds decide the weights' start and the batches of each pair of runs; the rate of
        each side is the best on validation text, the warm-up a tenth of the steps, and all sides do
        the same number of operations. By the 95 % interval of the mean gain on held-out text: true
        if it lies above 0 in all comparisons, half true if in some, false if below 0 in all.
        """
        found = [gain(runs, pair) for pair in pairs]
        up = [one.low > 0 for one in found]
        down = all(one.high < 0 for one in found)
        return Verdict.of(said(runs, pairs), true=all(up), half_true=any(up), false=down)

    return decide


def as_well(*pairs: Pair) -> Callable[[Runs], Verdict]:
    """Return what decides whether an edit does as well, or better, in each of two blocks."""

    def decide(runs: Runs) -> Verdict:
        """Ten seeds decide the weights' start and the batches of each pair of runs; the rate of
        each side is the best on validation text, the warm-up a tenth of the steps, and all sides do
        the same number of operations. As well means: the 95 % interval of the mean gain on held-out
        text lies above -0.024 nats, half of the smallest gain that the lesson's table calls one.
        True if so in all comparisons, half true if in some, false if the interval lies below that
        in all.
        """
        found = [gain(runs, pair) for pair in pairs]
        well = [one.low > -MARGIN for one in found]
        worse = all(one.high < -MARGIN for one in found)
        return Verdict.of(said(runs, pairs), true=all(well), half_true=any(well), false=worse)

    return decide
