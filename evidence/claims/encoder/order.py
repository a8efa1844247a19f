"""Lab of lesson 05: the gradients of post-norm and pre-norm before any training."""

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.encoder.starts import layers_with_gradients, length

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
    """Of 20 runs of 96 layers: true if the gradient of post-norm's first layer is smaller than that
    of its last in at least 16, and pre-norm's in at most 4; false if post-norm's is smaller in at
    most 4.
    """
    fades, fades_deep = (
        runs.count(lambda ratio: ratio < 1, name, RATIO) for name in (POST, POST_DEEP)
    )
    stays = runs.count(lambda ratio: ratio >= 1, PRE_DEEP, RATIO)
    numbers = (
        f"From the last of 96 layers down to the first post-norm's gradient changes by a factor of "
        f"{runs.median(POST_DEEP, RATIO):.2f} (smaller in {fades_deep} of 20 runs) and pre-norm's "
        f"by {runs.median(PRE_DEEP, RATIO):.1f} (no smaller in {stays}). Of 24 layers post-norm's "
        f"changes by {runs.median(POST, RATIO):.2f}: there the start decides (smaller in {fades})."
    )
    return Verdict.of(numbers, true=fades_deep >= 16 <= stays, false=fades_deep <= 4)


CLAIM = Claim(
    name="encoder.order",
    lesson="labs/05_depth",
    conditions=(
        Condition(POST, {"norm": "post", "depth": 24}),
        Condition(PRE, {"norm": "pre", "depth": 24}, "control"),
        Condition(POST_SIX, {"norm": "post", "depth": 6}),
        Condition(PRE_SIX, {"norm": "pre", "depth": 6}, "control"),
        Condition("post-norm, 48 layers", {"norm": "post", "depth": 48}, "longer"),
        Condition("pre-norm, 48 layers", {"norm": "pre", "depth": 48}, "control"),
        Condition(POST_DEEP, {"norm": "post", "depth": 96}, "longer"),
        Condition(PRE_DEEP, {"norm": "pre", "depth": 96}, "control"),
    ),
    runs=20,
    first=200,
    metric=RATIO,
    label="gradient of the first layer / of the last (second feed-forward matrix)",
    along="depth",
    axis="layers",
    logarithmic=True,
)


def decide_last(runs: Runs) -> Verdict:
    """In all 20 runs of 24 layers post-norm's gradient in the last layer is larger than that of
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
