"""Lesson 02, section 14: with which power of tokens and width does the time of attention grow?"""

import math
from time import process_time
from typing import Literal

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded
from transformer_lesson.attention import reference_attention

Part = Literal["attention", "products", "projections"]
POWER = "power"
TOKENS, PROJECTIONS = "attention, tokens 256 to 4096", "projections, tokens 256 to 4096"
WIDTH, WIDER = "attention, width 64 to 1024", "attention, width 512 to 4096"
PRODUCTS = "no softmax, width 64 to 1024"
SIZES = {
    "tokens": [(n, 256) for n in (256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096)],
    "width": [(1024, d) for d in (64, 96, 128, 192, 256, 384, 512, 768, 1024)],
    "wider": [(1024, d) for d in (512, 768, 1024, 1536, 2048, 3072, 4096)],
}


def measure(seed: int, part: Part, sizes: str) -> Numbers:
    """Slope of the logarithm of processor time against that of the size that varies."""
    generator = seeded(seed)
    points = []
    for length, width in SIZES[sizes]:
        x = torch.randn(length, width, generator=generator)
        matrix = torch.randn(width, width, generator=generator) / math.sqrt(width)
        seconds = min(_seconds(part, x, matrix) for _ in range(12))
        points.append((math.log(length if sizes == "tokens" else width), math.log(seconds)))
    across = sum(a for a, _ in points) / len(points)
    slope = sum((a - across) * b for a, b in points) / sum((a - across) ** 2 for a, _ in points)
    return {POWER: slope}


def _seconds(part: Part, x: Tensor, matrix: Tensor) -> float:
    start = process_time()
    if part == "attention":
        reference_attention(x, x, x)
    elif part == "products":
        x @ x.mT @ x
    else:  # query, key, value, output
        for _ in range(4):
            x @ matrix
    return process_time() - start


def decide(runs: Runs) -> Verdict:
    """True if in at least 9 of 10 runs the power of the tokens lies between 1.8 and 2.2."""
    squared = runs.count(lambda value: 1.8 <= value <= 2.2, TOKENS, POWER)
    numbers = (
        f"From 256 to 4,096 tokens the time of attention grows with the power "
        f"{runs.median(TOKENS, POWER):.2f} of the tokens, that of the projections with the power "
        f"{runs.median(PROJECTIONS, POWER):.2f}."
    )
    return Verdict("true" if squared >= 9 else "not decided", numbers)


CLAIM = Claim(
    name="attention.cost",
    lesson="labs/03_architectures",
    conditions=(
        Condition(TOKENS, {"part": "attention", "sizes": "tokens"}),
        Condition(WIDTH, {"part": "attention", "sizes": "width"}),
        Condition(WIDER, {"part": "attention", "sizes": "wider"}, "longer"),
        Condition(PRODUCTS, {"part": "products", "sizes": "width"}, "control"),
        Condition(PROJECTIONS, {"part": "projections", "sizes": "tokens"}, "control"),
    ),
    metric=POWER,
    label="power with which processor time grows",
    first=300,
    timed=True,
)


def decide_width(runs: Runs) -> Verdict:
    """From width 64 to 1,024. False if in at least 9 of 10 pairs the power is below 0.95 and
    smaller than without the softmax; true if it lies between 0.95 and 1.05 in at least 9.
    """
    slower = sum(
        whole < min(products, 0.95) for whole, products in runs.pairs(WIDTH, PRODUCTS, POWER)
    )
    linear = runs.count(lambda value: 0.95 <= value <= 1.05, WIDTH, POWER)
    numbers = (
        f"From width 64 to 1,024 the time of attention grows with the power "
        f"{runs.median(WIDTH, POWER):.2f} of the width. The softmax, which knows no width, keeps "
        f"it low: without it the power is {runs.median(PRODUCTS, POWER):.2f}, and at widths from "
        f"512 to 4,096 {runs.median(WIDER, POWER):.2f}."
    )
    return Verdict.of(numbers, false=slower >= 9, true=linear >= 9)


CLAIM_WIDTH = CLAIM.also(name="attention.cost_width")
