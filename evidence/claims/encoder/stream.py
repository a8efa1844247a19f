"""Lesson 05, section 8: how does the stream of a pre-norm stack grow?"""

import math
from statistics import mean, stdev

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.encoder.stacks import step
from transformer_lesson import seeded
from transformer_lesson.blocks import EncoderLayer

WIDTH, SHALLOW, DEEP = 64, 6, 192
PLACES = (1, 3, SHALLOW, 12, 24, 48, 96, DEEP)
EXPONENT = "exponent from layer 6 to 192"
PRE, POST = "pre-norm", "post-norm"
FEED, ATTENTION = "pre-norm, feed-forwards alone", "pre-norm, attention alone"


def measure(seed: int, norm: str, parts: str = "both") -> Numbers:
    """The root mean square of the tokens after some layers, and how it grows with their number."""
    generator = seeded(seed)
    x, sizes = torch.randn(4, 16, WIDTH, generator=generator), {}
    with torch.no_grad():
        for depth in range(1, DEEP + 1):
            layer = EncoderLayer(WIDTH, 4, 4 * WIDTH, generator=generator)
            if parts == "feed-forward":
                x = x + layer.feed_forward(layer.feed_forward_norm(x))
            elif parts == "attention":
                x = x + layer.self_attention(layer.self_attention_norm(x))[0]
            else:
                x = step(layer, x, "both", norm)
            sizes[depth] = x.square().mean().sqrt().item()
    growth = math.log(sizes[DEEP] / sizes[SHALLOW]) / math.log(DEEP / SHALLOW)
    return {EXPONENT: growth, **{f"size at layer {depth}": sizes[depth] for depth in PLACES}}


def decide(runs: Runs) -> Verdict:
    """True if the 95 % interval of the mean exponent, from layer 6 to 192, lies between 0.4 and 0.6
    (a root has 0.5), and post-norm's size stays within a tenth of 1 in all 20 runs; false if the
    interval reaches beyond.
    """
    exponents = runs.values(PRE, EXPONENT)
    middle, reach = mean(exponents), 2.09 * stdev(exponents) / math.sqrt(len(exponents))
    size = f"size at layer {DEEP}"
    flat = runs.count(lambda value: 0.9 < value < 1.1, POST, size)
    numbers = (
        f"From layer {SHALLOW} to {DEEP} a pre-norm stream grows with depth to the power of "
        f"{middle:.2f} (95 % interval {middle - reach:.2f} to {middle + reach:.2f}; single runs "
        f"{min(exponents):.2f} to {max(exponents):.2f}). After {DEEP} layers its size is "
        f"{runs.median(PRE, size):.0f}; that of post-norm is {runs.median(POST, size):.1f}."
    )
    root = middle - reach >= 0.4 and middle + reach <= 0.6
    return Verdict.of(numbers, true=root and flat == len(exponents), false=not root)


CLAIM = Claim(
    name="encoder.stream",
    lesson="05_encoder",
    conditions=(
        Condition(PRE, {"norm": "pre"}),
        Condition(FEED, {"norm": "pre", "parts": "feed-forward"}, "control"),
        Condition(ATTENTION, {"norm": "pre", "parts": "attention"}, "control"),
        Condition(POST, {"norm": "post"}, "control"),
    ),
    runs=20,
    first=200,
    metric=EXPONENT,
    label="exponent with which the size grows from layer 6 to 192",
    logarithmic=True,
    along={depth: f"size at layer {depth}" for depth in PLACES},
    axis="layers",
    height="size (root mean square of the tokens)",
)
