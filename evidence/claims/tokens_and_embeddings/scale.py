"""Lesson 01: do rows of spread √d_model drown the positions, and is order then not learned?"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded
from transformer_lesson.models import EncoderOnly, ModelConfig
from transformer_lesson.positions import SinusoidalPositions

WIDTH, WORDS, LENGTH, STEPS = 64, 20, 12, 200
SMALL, LARGE = "N(0, 1/d), times √d", "N(0, 1), times √d"
PLAIN = "N(0, 1), not multiplied"
LONGER, FASTER = "N(0, 1), times √d, 10 times longer", "N(0, 1), times √d, rate times 4"
RAISED, LOWERED = "N(0, 1), times √d, positions times 8", "N(0, 1/d), times √d, positions over 8"
BLIND = "no positions"
RIGHT = "share of tokens named right"


def measure(
    seed: int,
    spread: float,
    factor: float = 8.0,
    positions: float = 1.0,
    steps: int = STEPS,
    rate: float = 2e-3,
) -> Numbers:
    """Train one layer to name 12 tokens in reverse order; score it on 512 new sequences.

    Rows are drawn with ``spread`` and multiplied by ``factor``, which is √64 in the paper;
    ``positions`` is what the sines and cosines are multiplied by.
    """
    generator = seeded(seed)
    config = ModelConfig(
        WORDS, d_model=WIDTH, num_layers=1, d_ff=128, max_tokens=LENGTH, padding_id=None
    )
    model = EncoderOnly(config, generator=generator)
    nn.init.normal_(model.embedding.weight, std=spread, generator=generator)
    model.embedding.scale = factor
    assert isinstance(model.embedding.positions, SinusoidalPositions)
    model.embedding.positions.table.mul_(positions)
    output = nn.Parameter(torch.randn(WORDS, WIDTH, generator=generator) / math.sqrt(WIDTH))
    optimizer = torch.optim.Adam([*model.parameters(), output], lr=rate)
    for _ in range(steps):
        tokens = torch.randint(WORDS, (64, LENGTH), generator=generator)
        logits = model(tokens) @ output.T
        optimizer.zero_grad()
        F.cross_entropy(logits.flatten(0, 1), tokens.flip(1).flatten()).backward()
        optimizer.step()
    tokens = torch.randint(WORDS, (512, LENGTH), generator=generator)
    with torch.no_grad():
        named = (model(tokens) @ output.T).argmax(-1)
    return {RIGHT: (named == tokens.flip(1)).float().mean().item()}


def decide(runs: Runs) -> Verdict:
    """By medians: true if N(0, 1) times √d names 20 points fewer right than N(0, 1/d) times √d, if
    positions times 8 alone make up at least half of the difference and positions over 8 alone bring
    about at least half of it, and if ten times as many steps bring it 10 points above a model
    without positions. False if it names no fewer right.
    """
    small, large, blind, late = (runs.median(c, RIGHT) for c in (SMALL, LARGE, BLIND, LONGER))
    raised, lowered = runs.median(RAISED, RIGHT), runs.median(LOWERED, RIGHT)
    numbers = (
        f"After {STEPS} steps {large:.0%} of the tokens are right with N(0, 1) times √d, and "
        f"{blind:.0%} with no positions at all. Positions times 8 alone bring it to {raised:.0%}, "
        f"ten times as many steps to {late:.0%}."
    )
    if small - large <= 0.2:
        return Verdict("false", numbers)
    explained = lowered <= (small + large) / 2 <= raised
    return Verdict("true" if explained and late >= blind + 0.1 else "not decided", numbers)


CLAIM = Claim(
    name="embeddings.scale",
    lesson="labs/01_rows_in_a_model",
    conditions=(
        Condition(SMALL, {"spread": 0.125}),
        Condition(LARGE, {"spread": 1.0}),
        Condition(PLAIN, {"spread": 1.0, "factor": 1.0}, "control"),
        Condition(RAISED, {"spread": 1.0, "positions": 8.0}, "control"),
        Condition(LOWERED, {"spread": 0.125, "positions": 0.125}, "control"),
        Condition(LONGER, {"spread": 1.0, "steps": 10 * STEPS}, "longer"),
        Condition(FASTER, {"spread": 1.0, "rate": 8e-3}, "longer"),
        Condition(BLIND, {"spread": 0.125, "positions": 0.0}, "chance"),
    ),
    first=5000,
    metric=RIGHT,
    label="share of tokens named right, on new sequences",
    shown=(SMALL, LARGE, PLAIN, RAISED, LONGER, BLIND),
)
