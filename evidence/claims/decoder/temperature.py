"""The lab of lesson 06: does a low temperature make the most probable text more probable?"""

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.decoder.sampling import probabilities

TIMES, SHARED, DIFFERENT = (
    "times as probable",
    "three translations share a first word",
    "none share a first word",
)


def measure(seed: int, apart: bool) -> Numbers:
    """Probability of the text with *dormait* at temperature 0.5, over that at temperature 1."""
    low, one = (
        probabilities(seed, temperature, apart, training=True)[:, 0].mean().item()
        for temperature in (0.5, 1.0)
    )
    return {TIMES: low / one, "at 0.5": low, "at 1": one}


def decide(runs: Runs) -> Verdict:
    shared, apart = runs.values(SHARED, TIMES), runs.values(DIFFERENT, TIMES)
    numbers = (
        f"At temperature 0.5 *dormait* is {min(shared):.2f} to {max(shared):.2f} times as probable "
        f"as at 1 where the other three translations share their first word, and "
        f"{min(apart):.2f} to {max(apart):.2f} times where none do."
    )
    if max(shared) < 1 < min(apart):
        return Verdict("half true", numbers)
    return Verdict("true" if min(*shared, *apart) > 1 else "not decided", numbers)


CLAIM = Claim(
    name="sampling.temperature",
    lesson="labs/06_search",
    says="A low temperature makes the most probable text more probable.",
    source="common belief",
    measure=measure,
    conditions=(
        Condition(SHARED, {"apart": False}),
        Condition(DIFFERENT, {"apart": True}, "control"),
    ),
    runs=10,
    metric=TIMES,
    label="probability of the most frequent translation at 0.5, over that at 1",
    criterion=(
        "True: the most frequent translation gains in all runs with both grammars. Half true: it "
        "gains in all runs where no translations share a first word, and loses in all where three "
        "do."
    ),
    decide=decide,
)
