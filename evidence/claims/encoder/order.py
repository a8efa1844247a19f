"""Lab of lesson 05: the gradients of post-norm and pre-norm before any training."""

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.encoder.starts import layers_with_gradients, length

RATIO, LAST = "first / last", "last layer"
PRE, POST = "pre-norm, 24 layers", "post-norm, 24 layers"
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
    larger = [p / q for p, q in runs.pairs(POST, PRE, LAST)]
    fades = runs.count(lambda ratio: ratio < 1, POST, RATIO)
    stays = runs.count(lambda ratio: ratio >= 1, PRE, RATIO)
    numbers = (
        f"In the last of 24 layers post-norm's gradient is {min(larger):.1f} to "
        f"{max(larger):.1f} times pre-norm's. From the last layer down to the first it changes "
        f"by a factor of {runs.median(POST, RATIO):.2f} (smaller in {fades} of 20 runs) and "
        f"pre-norm's by {runs.median(PRE, RATIO):.1f} (no smaller in {stays} of 20)."
    )
    at_the_top = min(larger) > 1
    if at_the_top and fades == stays == 20:
        return Verdict("true", numbers)
    return Verdict("half true" if at_the_top and stays == 20 else "not decided", numbers)


CLAIM = Claim(
    name="encoder.order",
    lesson="labs/05_depth",
    says=(
        "At the start post-norm's gradients are larger than pre-norm's in the last layer, and "
        "fade on the way down; pre-norm's do not."
    ),
    title="Down the stack post-norm's gradients keep their size, pre-norm's grow",
    source="Xiong et al. 2020, theorem 1 and figure 3",
    conditions=(
        Condition(POST, {"norm": "post", "depth": 24}),
        Condition(PRE, {"norm": "pre", "depth": 24}, "control"),
        Condition(POST_SIX, {"norm": "post", "depth": 6}),
        Condition(PRE_SIX, {"norm": "pre", "depth": 6}, "control"),
    ),
    runs=20,
    metric=RATIO,
    label="gradient of the first layer / of the last (second feed-forward matrix)",
    along="depth",
    axis="layers",
    criterion=(
        "In all 20 runs of 24 layers post-norm's gradient in the last layer is larger than that "
        "of pre-norm with the same seed, and smaller in the first layer than in the last, and "
        "pre-norm's is not smaller in the first. Half true if only the fading fails somewhere."
    ),
    logarithmic=True,
)
