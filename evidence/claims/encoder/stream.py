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


def measure(seed: int, norm: str | None) -> Numbers:
    """The exponent with which the root mean square of the tokens grows from layer 6 to 48."""
    generator = seeded(seed)
    x, sizes = torch.randn(4, 16, WIDTH, generator=generator), []
    with torch.no_grad():
        for _ in range(DEEP):
            x = step(EncoderLayer(WIDTH, 4, 4 * WIDTH, generator=generator), x, "both", norm)
            sizes.append(x.square().mean().sqrt().item())
    growth = math.log(sizes[-1] / sizes[SHALLOW - 1])
    return {EXPONENT: growth / math.log(DEEP / SHALLOW), "size at layer 48": sizes[-1]}


def decide(runs: Runs) -> Verdict:
    root = runs.count(lambda exponent: 0.4 < exponent < 0.6, PRE, EXPONENT)
    flat = runs.count(lambda exponent: abs(exponent) < 0.1, POST, EXPONENT)
    numbers = (
        f"From layer 6 to layer 48 the size grows with depth to the power of "
        f"{runs.median(PRE, EXPONENT):.2f} in pre-norm, {runs.median(POST, EXPONENT):.2f} in "
        f"post-norm, and without norms by a factor of "
        f"{8 ** runs.median(NONE, EXPONENT):.0e}."
    )
    return Verdict("true" if root == flat == 20 else "not decided", numbers)


CLAIM = Claim(
    name="encoder.stream",
    lesson="05_encoder",
    says="At the start of training the stream of a pre-norm stack grows like the root of depth.",
    source="Xiong et al. 2020, lemma 2",
    measure=measure,
    conditions=(
        Condition(PRE, {"norm": "pre"}),
        Condition(POST, {"norm": "post"}, "control"),
        Condition(NONE, {"norm": None}, "control"),
    ),
    runs=20,
    metric=EXPONENT,
    label="exponent of the growth with depth (root: 0.5)",
    criterion=(
        "In all 20 runs the exponent lies between 0.4 and 0.6 with pre-norm, and within 0.1 of "
        "zero with post-norm."
    ),
    decide=decide,
)
