"""Lab 04, section 10: does a larger rotary base read longer texts without training?"""

from dataclasses import replace
from typing import Any

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.positional_encoding.word_before import (
    SHORT,
    STEPS,
    TWICE,
    shares,
    train,
    trained,
)
from transformer_lesson.models import DecoderOnly

FACTORS = (1, 2, 3, 4, 8, 16, 64)
BASES = {s: f"larger base, s = {s}" for s in FACTORS}  # s = 1: as trained
PLAIN, TWO_TIMES, FOUR_TIMES = BASES[1], BASES[2], BASES[4]
INTERPOLATED, TRAINED_ON = "all angles halved", "all angles halved, 10 more steps"
GUESS = "untrained"


def rescaled(model: DecoderOnly, **rope: Any) -> DecoderOnly:
    """Copy a model with rotary positions; the copy has the same weights and turns otherwise."""
    copy = DecoderOnly(replace(model.config, **rope))
    copy.load_state_dict(model.state_dict())
    return copy


def measure(
    seed: int,
    scaling: str = "interpolation",
    factor: float = 1.0,
    more: int = 0,
    steps: int = STEPS,
) -> Numbers:
    """One run: train on texts of 16 words, rescale, train ``more`` steps, read 64 words."""
    model = trained("rotary", seed, steps=steps)
    model = rescaled(model, rope_scaling=scaling, rope_factor=factor)
    return shares(train(model, steps=more, seed=1_000 + seed), seed=seed)


def decide(runs: Runs) -> Verdict:
    """True here where in all 10 runs, with the base for four times the length, more than 0.95 are
    right at the trained length and at twice that length, and at twice more than of the same model
    as it was trained. Half true where only the last holds.
    """
    plain, larger = runs.values(PLAIN, TWICE), runs.values(FOUR_TIMES, TWICE)
    by_factor = ", ".join(f"{runs.median(name, TWICE):.0%} (s = {s})" for s, name in BASES.items())
    numbers = (
        f"At twice the trained length these are right: {by_factor}; s = 1 is as trained. With all "
        f"angles halved {runs.median(INTERPOLATED, SHORT):.0%} are right at the trained length, "
        f"after 10 more steps on texts of 16 words {runs.median(TRAINED_ON, SHORT):.0%}."
    )
    better = all(a < b for a, b in zip(plain, larger, strict=True))
    whole = min(*larger, *runs.values(FOUR_TIMES, SHORT)) > 0.95
    return Verdict.of(numbers, true_here=better and whole, half_true=better)


CLAIM = Claim(
    name="positions.ntk",
    lesson="labs/04_positions_in_use",
    conditions=(
        *(Condition(name, {"scaling": "ntk", "factor": float(s)}) for s, name in BASES.items()),
        Condition(INTERPOLATED, {"factor": 2.0}, "control"),
        Condition(TRAINED_ON, {"factor": 2.0, "more": 10}, "control"),
        Condition(GUESS, {"steps": 0}, "chance"),
    ),
    first=200,
    metric=TWICE,
    label="share right at words 25 to 32",
    along={16: "words 9 to 16", 32: "words 25 to 32", 64: "words 57 to 64"},
    axis="last of eight words (texts in training end at word 16)",
    height="share right",
    shown=(*(BASES[s] for s in (1, 4, 16)), INTERPOLATED, TRAINED_ON, GUESS),
)
