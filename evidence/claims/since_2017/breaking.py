"""Lesson 11: does query-key norm raise the learning rate at which training breaks?"""

from statistics import median

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
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


def breaks_at(runs: Runs, side: str) -> float:
    """Return the lowest rate at which half of the runs are broken; twice the highest if none is."""
    limit = median(runs.values(name_of(side, RATES[0]), LOSS)) + BROKEN
    for rate in RATES[1:]:
        broken = runs.count(lambda loss: loss > limit, name_of(side, rate), LOSS)
        if broken >= 5:
            return rate
    return 2 * RATES[-1]


def decide(runs: Runs) -> Verdict:
    with_it, without = breaks_at(runs, WITH), breaks_at(runs, WITHOUT)
    losses = ", ".join(
        f"{rate:g}: {runs.median(name_of(WITH, rate), LOSS):.2f} and "
        f"{runs.median(name_of(WITHOUT, rate), LOSS):.2f}"
        for rate in RATES
    )
    because = f"Median loss with and without at each rate: {losses}."
    both_hold = without > RATES[-1]
    return Verdict.of(
        because, not_decided=both_hold, true=with_it >= 2 * without, false=with_it <= without
    )


CLAIM = Claim(
    name="modern.qk_norm",
    lesson="11_since_2017",
    conditions=tuple(
        Condition(
            name_of(side, rate),
            {"side": side, "rate": rate},
            "lesson" if side == WITH else "control",
        )
        for side in (WITH, WITHOUT)
        for rate in RATES
    ),
    metric=LOSS,
    label="nats per piece of held-out text",
    logarithmic=True,
    along="rate",
    axis="learning rate",
)
