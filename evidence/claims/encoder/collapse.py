"""Lesson 05, section 2: what keeps the tokens of a sentence apart?"""

import math

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.encoder.stacks import apart, step
from transformer_lesson import seeded
from transformer_lesson.blocks import EncoderLayer
from transformer_lesson.positions import sinusoidal_table

WIDTH, DEEP = 64, 96
PLACES = (1, 2, 3, 4, 6, 12, 24, 48, DEEP)
FACTOR, APART = "factor a layer", "tokens apart after 96 layers"
ALONE, ADDED = "attention alone", "attention with residual"
PRE, POST = "pre-norm layers", "post-norm layers"


def measure(seed: int, kind: str) -> Numbers:
    """Send the six tokens of the lesson's sentence through layers of random weights, in float64.

    The factor is that of a layer from layer 24 to 96, as a geometric mean.
    """
    generator = seeded(seed)
    rows = torch.randn(5, WIDTH, generator=generator) / math.sqrt(WIDTH)
    table = sinusoidal_table(6, WIDTH)
    x = (rows[[0, 1, 2, 3, 0, 4]] * math.sqrt(WIDTH) + table)[None].double()
    shares = {}
    with torch.no_grad():
        for depth in range(1, DEEP + 1):
            layer = EncoderLayer(WIDTH, 4, 4 * WIDTH, generator=generator).double()
            if kind in ("pre", "post"):
                x = step(layer, x, "both", kind)
            else:
                attended = layer.self_attention(x)[0]
                x = x + attended if kind == "residual" else attended
            shares[depth] = max(apart(x), 1e-18)  # two tokens may be the same numbers
    factor = (shares[DEEP] / shares[24]) ** (1 / (DEEP - 24))
    return {
        FACTOR: factor,
        **{f"tokens apart after {depth} layers": shares[depth] for depth in PLACES},
    }


def decide(runs: Runs) -> Verdict:
    """In float64, in all 20 runs, where attention alone leaves nothing: residuals prevent it (true)
    if from layer 24 to 96 each layer leaves more than 0.99 of what tells the tokens apart. They
    only slow it (false) if attention with a residual leaves less than 0.9 a layer and less than
    1e-6 after 96, while 96 pre-norm layers keep more than 0.05.
    """
    gone = max(runs.values(ALONE, "tokens apart after 12 layers")) < 1e-12
    factors, kept = runs.values(ADDED, FACTOR), runs.values(PRE, APART)
    numbers = (
        f"With a residual each layer leaves {runs.median(ADDED, FACTOR):.2f} of what tells the "
        f"tokens apart ({min(factors):.2f} to {max(factors):.2f}), so that "
        f"{runs.median(ADDED, APART):.0e} is left after {DEEP}; in post-norm layers it is "
        f"{runs.median(POST, FACTOR):.2f} a layer. {DEEP} pre-norm layers keep "
        f"{runs.median(PRE, APART):.2f} of the length."
    )
    falls = max(factors) < 0.9 and max(runs.values(ADDED, APART)) < 1e-6
    if gone and falls and min(kept) > 0.05:
        return Verdict("false", numbers)
    return Verdict("true" if gone and min(factors) > 0.99 else "not decided", numbers)


CLAIM = Claim(
    name="encoder.collapse",
    lesson="05_encoder",
    conditions=(
        Condition(ALONE, {"kind": "alone"}),
        Condition(ADDED, {"kind": "residual"}),
        Condition(POST, {"kind": "post"}, "control"),
        Condition(PRE, {"kind": "pre"}, "control"),
    ),
    runs=20,
    first=200,
    metric=APART,
    label="share of the tokens' length that tells them apart after 96 layers, in float64",
    logarithmic=True,
    along={depth: f"tokens apart after {depth} layers" for depth in PLACES},
    axis="layers",
    height="share of the tokens' length that tells them apart",
)


def decide_alone(runs: Runs) -> Verdict:
    """In float64, in all 20 runs: attention alone leaves less than 1e-12 of the tokens' length
    after 12 layers.
    """
    left = runs.values(ALONE, "tokens apart after 12 layers")
    numbers = (
        f"Attention alone leaves {runs.median(ALONE, 'tokens apart after 4 layers'):.0e} of the "
        f"tokens' length to tell them apart after four layers, which is rounding error in float64, "
        f"and {max(left):.0e} or less after 12."
    )
    return Verdict("true" if max(left) < 1e-12 else "not decided", numbers)


CLAIM_ALONE = CLAIM.also(name="encoder.collapse_alone")
