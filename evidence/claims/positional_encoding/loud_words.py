"""Lab 04: what does it cost when words are much louder than their positions?"""

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.positional_encoding.word_before import (
    LONGER,
    SHORT,
    STEPS,
    shares,
    small,
    train,
)

PAPER, LOUD = "as in the paper", "words 8 times"
BOTH, QUIET = "words and positions 8 times", "positions an eighth"
LATER, GUESS = "words 8 times, 800 steps", "untrained"


def measure(seed: int, words: float, places: float, steps: int = STEPS) -> Numbers:
    """One run of a single layer whose words and sinusoids are multiplied before it is trained."""
    model = small("sinusoidal", layers=1, seed=seed)
    assert model.embedding.positions is not None
    with torch.no_grad():
        model.embedding.weight.mul_(words)
        model.embedding.positions.table.mul_(places)
    return {SHORT: shares(train(model, steps=steps, seed=seed), seed=seed)[SHORT]}


def decide(runs: Runs) -> Verdict:
    """True where in all 10 pairs of runs louder words, and quieter positions too, cost more than
    0.1 after the same steps, and louder words with louder positions do so in none. Half true where
    only the first holds.
    """
    behind = {
        name: sum(a - b > 0.1 for a, b in runs.pairs(PAPER, name, SHORT))
        for name in (LOUD, BOTH, QUIET)
    }
    numbers = (
        f"After 200 steps {runs.median(PAPER, SHORT):.0%} of the answers are right as in the "
        f"paper, {runs.median(LOUD, SHORT):.0%} where words are 8 times as large, and "
        f"{runs.median(BOTH, SHORT):.0%} where positions are, too."
    )
    loud = behind[LOUD] == 10
    slower = loud and behind[QUIET] == 10 and behind[BOTH] == 0
    return Verdict.of(numbers, true=slower, half_true=loud)


CLAIM = Claim(
    name="positions.loud_words",
    lesson="labs/04_positions_in_use",
    conditions=(
        Condition(PAPER, {"words": 1.0, "places": 1.0}),
        Condition(LOUD, {"words": 8.0, "places": 1.0}),
        Condition(BOTH, {"words": 8.0, "places": 8.0}, "control"),
        Condition(QUIET, {"words": 1.0, "places": 0.125}, "control"),
        Condition(LATER, {"words": 8.0, "places": 1.0, "steps": LONGER}, "longer"),
        Condition(GUESS, {"words": 1.0, "places": 1.0, "steps": 0}, "chance"),
    ),
    metric=SHORT,
    label="share right at words 9 to 16",
)
