"""Lesson 05, section 2: what keeps the tokens of a sentence apart?"""

import math

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.encoder.stacks import apart, small, step
from transformer_lesson import seeded
from transformer_lesson.blocks import EncoderLayer
from transformer_lesson.positions import sinusoidal_table

WIDTH, DEEP = 64, 96
PLACES = (1, 2, 3, 4, 6, 12, 24, 48, DEEP)
KEPT, AMOUNT = "share kept after 96 layers", "amount after 96 layers"
ALONE, ADDED = "attention alone", "attention with residual"
PRE, POST = "pre-norm layers", "post-norm layers"
SMALL, POST_SMALL = f"{ADDED}, small branches", f"{POST}, small branches"


def measure(seed: int, kind: str, branches: str = "full") -> Numbers:
    """Send the six tokens of the lesson's sentence through layers of random weights, in float64.

    Two numbers of what tells the tokens apart, each over what it was before the first layer: its
    share of the tokens' length, and the amount itself. ``"small"`` branches are divided by √(2L).
    """
    generator = seeded(seed)
    rows = torch.randn(5, WIDTH, generator=generator) / math.sqrt(WIDTH)
    table = sinusoidal_table(6, WIDTH)
    x = (rows[[0, 1, 2, 3, 0, 4]] * math.sqrt(WIDTH) + table)[None].double()
    before, length = apart(x), x.norm().item()
    shares = {}
    with torch.no_grad():
        for depth in range(1, DEEP + 1):
            layer = EncoderLayer(WIDTH, 4, 4 * WIDTH, generator=generator).double()
            if branches == "small":
                small(layer, DEEP)
            if kind in ("pre", "post"):
                x = step(layer, x, "both", kind)
            else:
                attended = layer.self_attention(x)[0]
                x = x + attended if kind == "residual" else attended
            shares[depth] = max(apart(x) / before, 1e-18)  # two tokens may be the same numbers
    return {
        AMOUNT: shares[DEEP] * x.norm().item() / length,
        **{f"share kept after {depth} layers": shares[depth] for depth in PLACES},
    }


def decide(runs: Runs) -> Verdict:
    """Of the share of the tokens' length that tells them apart, 96 layers of attention with a
    residual keep more than half, or less than a millionth, in all 20 runs. True if more than half
    both with full branches and with branches divided by √(2L); true here, depending on their size,
    if less than a millionth with full ones and more than half with small ones; false if less than
    a millionth with both. The amount, not divided by the length, is told beside it.
    """
    full, low = runs.values(ADDED, KEPT), runs.values(SMALL, KEPT)
    numbers = (
        f"After {DEEP} layers of attention with a residual {runs.median(ADDED, KEPT):.0e} of the "
        f"share is kept, though the amount is {runs.median(ADDED, AMOUNT):.1f} times what it was: "
        f"what all tokens have in common grows. With branches divided by √(2L) "
        f"{runs.median(SMALL, KEPT):.2f} is kept, in post-norm layers "
        f"{runs.median(POST_SMALL, KEPT):.2f} (full branches {runs.median(POST, KEPT):.0e}), in "
        f"pre-norm layers with full branches {runs.median(PRE, KEPT):.2f}."
    )
    return Verdict.of(
        numbers,
        true=min(full + low) > 0.5,
        true_here=max(full) < 1e-6 and min(low) > 0.5,
        false=max(full + low) < 1e-6,
    )


CLAIM = Claim(
    name="encoder.collapse",
    lesson="05_encoder",
    conditions=(
        Condition(ALONE, {"kind": "alone"}),
        Condition(ADDED, {"kind": "residual"}),
        Condition(SMALL, {"kind": "residual", "branches": "small"}),
        Condition(POST, {"kind": "post"}, "control"),
        Condition(POST_SMALL, {"kind": "post", "branches": "small"}, "control"),
        Condition(PRE, {"kind": "pre"}, "control"),
    ),
    runs=20,
    first=400,
    metric=KEPT,
    label="share that tells tokens apart after 96 layers, over that before them, in float64",
    logarithmic=True,
    shown=(ALONE, ADDED, SMALL, POST, PRE),
    along={depth: f"share kept after {depth} layers" for depth in PLACES},
    axis="layers",
    height="what tells tokens apart, as a share of what did at first",
)


def decide_alone(runs: Runs) -> Verdict:
    """In float64, in all 20 runs: attention alone keeps less than 1e-12 of the share of the tokens'
    length that tells them apart after 12 layers.
    """
    left = runs.values(ALONE, "share kept after 12 layers")
    numbers = (
        f"Attention alone keeps {runs.median(ALONE, 'share kept after 4 layers'):.0e} of what "
        f"tells tokens apart after four layers, which is rounding error in float64, and "
        f"{max(left):.0e} or less after 12."
    )
    return Verdict("true" if max(left) < 1e-12 else "not decided", numbers)


CLAIM_ALONE = CLAIM.also(name="encoder.collapse_alone")
