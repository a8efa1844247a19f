"""Lab 11, section 6: does query-key norm raise the learning rate at which training breaks?"""

from statistics import median

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.since_2017.gains import WARMUP
from evidence.claims.since_2017.rates import RATES as CHOSEN
from evidence.claims.since_2017.sides import SIDES
from evidence.claims.since_2017.text import everyday_text
from evidence.claims.since_2017.trained import loss_on, trained

LOSS = "loss"
WITH, WITHOUT = "today", "today - query-key norm"
RATES = tuple(CHOSEN[WITH] * factor for factor in (1, 2, 4, 8, 16, 32))
BROKEN = 0.5  # nats above the same block at the lowest rate


def name_of(side: str, rate: float) -> str:
    """Return the name of a condition."""
    return f"{side}, rate {rate:g}"


def measure(seed: int, side: str, rate: float) -> Numbers:
    """Loss on the test text after training at ``rate``, or that of no text at all if it is lost."""
    loss = loss_on(trained(seed, rate=rate, **SIDES[side]), everyday_text().test)
    return {LOSS: loss if loss < 100 else 100.0}  # what is not finite too


def decided_rates(runs: Runs, side: str) -> tuple[float, float]:
    """Return the lowest rates at which more than two of ten runs are broken, and eight or more.

    Twice the highest rate stands for one beyond it.
    """
    limit = median(runs.values(name_of(side, RATES[0]), LOSS)) + BROKEN
    broken = {
        rate: runs.count(lambda loss: loss > limit, name_of(side, rate), LOSS) for rate in RATES
    }
    beyond = 2 * RATES[-1]
    some, most = (next((rate for rate in RATES if broken[rate] >= many), beyond) for many in (3, 8))
    return some, most


def decide(runs: Runs) -> Verdict:
    """A run is broken if it ends half a nat above the median of its block at the rate that was
    chosen for that of today. A block begins to break at the lowest rate at which three of ten runs
    are broken, and is broken at the lowest at which eight are. True if that of today begins to
    break at twice the rate, or more, at which the same block without the norm is broken; false if
    it is broken where that one begins to break, or before.
    """
    (some, most), (some_without, most_without) = (
        decided_rates(runs, side) for side in (WITH, WITHOUT)
    )
    losses = ", ".join(
        f"{rate:g}: {runs.median(name_of(WITH, rate), LOSS):.2f} and "
        f"{runs.median(name_of(WITHOUT, rate), LOSS):.2f}"
        for rate in RATES
    )
    because = (
        f"The block with the norm begins to break at {some:g} and is broken at {most:g}, that "
        f"without at {some_without:g} and {most_without:g}. Median loss with and without at each "
        f"rate: {losses}."
    )
    return Verdict.of(because, true=some >= 2 * most_without, false=most <= some_without)


CLAIM = Claim(
    name="modern.qk_norm",
    lesson="labs/11_more_changes",
    conditions=tuple(
        Condition(
            name_of(side, rate),
            {"side": side, "rate": rate},
            "lesson" if side == WITH else "control",
        )
        for side in (WITH, WITHOUT)
        for rate in RATES
    ),
    sides=SIDES,
    metric=LOSS,
    label=f"nats per piece of held-out text ({WARMUP})",
    logarithmic=True,
    along="rate",
    axis="learning rate",
)
