"""Lab of lesson 05: the gradients of post-norm and pre-norm before any training."""

import math

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.encoder.starts import layers_with_gradients, length
from evidence.interval import interval, rate

RATIO, LAST = "first / last", "last layer"
PRE, POST = "pre-norm, 24 layers", "post-norm, 24 layers"
PRE_DEEP, POST_DEEP = "pre-norm, 96 layers", "post-norm, 96 layers"
PRE_SIX, POST_SIX = "pre-norm, 6 layers", "post-norm, 6 layers"


def measure(seed: int, norm: str, depth: int) -> Numbers:
    """Length of the gradient of each layer's second feed-forward matrix, as in the theorem."""
    layers = layers_with_gradients(seed, depth, "both", norm)
    lengths = [length([layer.feed_forward.down.weight]) for layer in layers]
    whole = [length(layer.parameters()) for layer in layers]
    return {
        RATIO: lengths[0] / lengths[-1],
        LAST: lengths[-1],
        "first / last, all weights": whole[0] / whole[-1],
        "last layer, all weights": whole[-1],
    }


def decide(runs: Runs) -> Verdict:
    """How the gradient changes from the last of 96 layers down to the first, as a geometric mean
    over 60 runs with its 95 % interval: true if post-norm's interval lies below 1 and pre-norm's
    does not; false if post-norm's lies above 1; else not decided.
    """
    post, pre = (
        interval([math.log(ratio) for ratio in runs.values(name, RATIO)])
        for name in (POST_DEEP, PRE_DEEP)
    )
    fades = rate(runs.count(lambda ratio: ratio < 1, POST_DEEP, RATIO), 60)
    numbers = (
        f"From the last of 96 layers down to the first post-norm's gradient changes by a factor of "
        f"{post.map(math.exp):.2f} and pre-norm's by {pre.map(math.exp):.1f}. Post-norm's is "
        f"smaller in {fades:.0%} of the starts: often, and not always."
    )
    return Verdict.of(numbers, true=post.high < 0 and pre.high >= 0, false=post.low > 0)


CLAIM = Claim(
    name="encoder.order",
    lesson="labs/05_depth",
    conditions=(
        Condition(POST, {"norm": "post", "depth": 24}, "control"),
        Condition(PRE, {"norm": "pre", "depth": 24}),
        Condition(POST_SIX, {"norm": "post", "depth": 6}, "control"),
        Condition(PRE_SIX, {"norm": "pre", "depth": 6}),
        Condition("post-norm, 48 layers", {"norm": "post", "depth": 48}, "control"),
        Condition("pre-norm, 48 layers", {"norm": "pre", "depth": 48}, "longer"),
        Condition(POST_DEEP, {"norm": "post", "depth": 96}, "control"),
        Condition(PRE_DEEP, {"norm": "pre", "depth": 96}, "longer"),
    ),
    runs=60,
    first=400,
    metric=RATIO,
    label="gradient of the first layer / of the last (second feed-forward matrix)",
    along="depth",
    axis="layers",
    logarithmic=True,
)


def decide_last(runs: Runs) -> Verdict:
    """In all 60 runs of 24 layers post-norm's gradient in the last layer is larger than that of
    pre-norm with the same seed.
    """
    larger = [p / q for p, q in runs.pairs(POST, PRE, LAST)]
    numbers = (
        f"In the last of 24 layers post-norm's gradient is {min(larger):.1f} to "
        f"{max(larger):.1f} times pre-norm's."
    )
    return Verdict("true" if min(larger) > 1 else "not decided", numbers)


CLAIM_LAST = CLAIM.also(
    name="encoder.order_last",
    metric=LAST,
    label="length of the last layer's gradient (second feed-forward matrix)",
)
