"""Lab of lesson 05: what do residuals and norms do to the gradient before any training?"""

import math
from typing import Any

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.encoder.starts import layers_with_gradients, length
from evidence.interval import interval

DEPTH = 24
FIRST, LAST_SCORES = "first layer", "queries and keys of the last layer"
BOTH, NO_RESIDUALS, NO_NORMS = "both (pre-norm)", "no residuals", "no norms"
BOTH_SMALL = "both (pre-norm), small branches"
FINAL, FINAL_SMALL = "no norms but the final one", "the same, small branches"
NEITHER, POST = "neither", "both (post-norm)"
ATTENTION, FEED = "residual around attention alone", "residual around feed-forward alone"


def measure(seed: int, residual: str, norm: str | None, **others: Any) -> Numbers:
    """Lengths of the gradients of 24 layers of random weights."""
    layers = layers_with_gradients(seed, DEPTH, residual, norm, **others)
    last = layers[-1].self_attention
    return {
        FIRST: length(layers[0].parameters()),
        LAST_SCORES: length([last.query_projection.weight, last.key_projection.weight]),
    }


def decide(runs: Runs) -> Verdict:
    """Run by run, against post-norm layers that have residuals: true if without residuals the first
    layer's gradient is less than a hundredth as long in all 20, false if it keeps more than a tenth
    in all 20.
    """
    alive = [a / b for a, b in runs.pairs(NO_RESIDUALS, POST, FIRST)]
    numbers = (
        f"The gradient that reaches the first of 24 layers is {runs.median(POST, FIRST):.1f} long "
        f"with both and {runs.median(NO_RESIDUALS, FIRST):.1f} without residuals. What all but "
        f"vanishes is the gradient of the last layer's queries and keys, without them "
        f"({runs.median(NO_RESIDUALS, LAST_SCORES):.0e}) and with "
        f"({runs.median(POST, LAST_SCORES):.0e}; in pre-norm layers it is "
        f"{runs.median(BOTH, LAST_SCORES):.0e})."
    )
    return Verdict.of(numbers, true=max(alive) < 0.01, false=min(alive) > 0.1)


CLAIM = Claim(
    name="encoder.gradients",
    lesson="labs/05_depth",
    conditions=(
        Condition(BOTH, {"residual": "both", "norm": "pre", "final_norm": True}),
        Condition(POST, {"residual": "both", "norm": "post"}),
        Condition(ATTENTION, {"residual": "attention", "norm": "post"}, "control"),
        Condition(FEED, {"residual": "feed-forward", "norm": "post"}, "control"),
        Condition(NO_RESIDUALS, {"residual": "none", "norm": "post"}, "control"),
        Condition(NO_NORMS, {"residual": "both", "norm": None}, "control"),
        Condition(NEITHER, {"residual": "none", "norm": None}, "control"),
        Condition(
            BOTH_SMALL,
            {"residual": "both", "norm": "pre", "final_norm": True, "branches": "small"},
            "control",
        ),
        Condition(FINAL, {"residual": "both", "norm": None, "final_norm": True}, "control"),
        Condition(
            FINAL_SMALL,
            {"residual": "both", "norm": None, "final_norm": True, "branches": "small"},
            "control",
        ),
    ),
    runs=20,
    different=((NO_RESIDUALS, NEITHER),),
    first=600,
    metric=FIRST,
    label="length of the first layer's gradient",
    logarithmic=True,
)


def decide_norms(runs: Runs) -> Verdict:
    """Against pre-norm layers with the same seed and branches, the norms within the layers taken
    away alone (the final one stays), by the 95 % interval of the geometric mean of 20 runs: the
    first layer's gradient explodes where it is over 1,000 times as long, and does not where it is
    less than 10 times as long. True if it explodes with full branches and with branches divided by
    √(2L); true here if with full ones and not with small ones; false if with neither.
    """
    full, low = (
        interval([math.log10(a / b) for a, b in runs.pairs(*pair, FIRST)])
        for pair in ((FINAL, BOTH), (FINAL_SMALL, BOTH_SMALL))
    )
    numbers = (
        f"Against pre-norm layers the first of 24 layers gets a gradient {full.map(_power):.0e} "
        f"times as long without the norms in the layers, and {low.map(_power):.2f} times with "
        f"branches divided by √(2L). Without the final norm too its length is "
        f"{runs.median(NO_NORMS, FIRST):.0e}; with neither norms nor residuals "
        f"{runs.median(NEITHER, FIRST):.0e}."
    )
    return Verdict.of(
        numbers,
        true=min(full.low, low.low) > 3,
        true_here=full.low > 3 and low.high < 1,
        false=max(full.high, low.high) < 1,
    )


def _power(exponent: float) -> float:
    return float(10**exponent)


CLAIM_NORMS = CLAIM.also(name="encoder.gradients_norms")
