"""Lab 02, section 5: how much weight does a token put on itself before any training?"""

import math

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded

SENTENCES, TOKENS = 50, 12
OWN = "mean weight of a token on itself"
NARROW, WIDE = "two projections, width 64", "two projections, width 512"
SHARED, NONE, EQUAL = "one projection for both", "no projection", "equal weights"


def measure(seed: int, width: int, projections: int, scale: float = 1.0) -> Numbers:
    """Mean weight on the diagonal; ``scale`` 0 makes all scores, and so all weights, equal."""
    generator = seeded(seed)
    x = torch.randn(SENTENCES, TOKENS, width, generator=generator)
    first, second = torch.randn(2, width, width, generator=generator) / math.sqrt(width)
    query = x @ first if projections else x
    key = {0: x, 1: query, 2: x @ second}[projections]
    weights = torch.softmax(scale * query @ key.mT / math.sqrt(width), dim=-1)
    return {OWN: weights.diagonal(dim1=-2, dim2=-1).mean().item()}


def decide(runs: Runs) -> Verdict:
    """Mostly is more than half of the weight, in all 20 runs at both widths. It is false if in all
    of them the weight stays below twice that of equal weights.
    """
    chance = runs.median(EQUAL, OWN)
    mostly = sum(runs.count(lambda value: value > 0.5, name, OWN) for name in (NARROW, WIDE))
    near = sum(runs.count(lambda value: value < 2 * chance, name, OWN) for name in (NARROW, WIDE))
    numbers = (
        f"With two independent projections a token puts {runs.median(NARROW, OWN):.2f} of its "
        f"weight on itself at width 64 and {runs.median(WIDE, OWN):.2f} at width 512, where equal "
        f"weights give {chance:.2f}. With one projection for both it is "
        f"{runs.median(SHARED, OWN):.2f}: not projecting takes the diagonal away, but projecting "
        "queries and keys differently."
    )
    return Verdict.of(numbers, true=mostly == 40, false=near == 40)


CLAIM = Claim(
    name="attention.diagonal",
    lesson="labs/02_trained_attention",
    conditions=(
        Condition(NARROW, {"width": 64, "projections": 2}),
        Condition(WIDE, {"width": 512, "projections": 2}),
        Condition(SHARED, {"width": 64, "projections": 1}, "control"),
        Condition(NONE, {"width": 64, "projections": 0}, "ideal"),
        Condition(EQUAL, {"width": 64, "projections": 2, "scale": 0.0}, "chance"),
    ),
    runs=20,
    metric=OWN,
    label="mean weight of a token on itself, of 12 tokens",
)
