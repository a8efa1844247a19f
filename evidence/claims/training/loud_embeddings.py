"""Lab 07, section 12: can a model whose words drown its positions learn the order?"""

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.training.reversing import share_right

SHARE = "share of words right"
LESSON, LONGER, USUAL = "too loud, 150 steps", "too loud, 600 steps", "as meant, 150 steps"


def measure(seed: int, bug: str, steps: int) -> Numbers:
    """Share of words that a trained model says rightly."""
    return {SHARE: share_right(bug, seed, steps)}


def decide(runs: Runs) -> Verdict:
    """False if four times the steps bring each run more than 20 points above the lesson's median;
    true here if they bring the median less than ten points more; half true in between.
    """
    lesson, longer = runs.median(LESSON, SHARE), runs.median(LONGER, SHARE)
    numbers = (
        f"With embeddings √d too loud {lesson:.0%} of the words are right after 150 steps, where "
        f"the model as it was meant has {runs.median(USUAL, SHARE):.0%}, and {longer:.0%} after "
        f"600 (from {min(runs.values(LONGER, SHARE)):.0%} to "
        f"{max(runs.values(LONGER, SHARE)):.0%})."
    )
    if min(runs.values(LONGER, SHARE)) > lesson + 0.2:
        return Verdict("false", f"{numbers} They slow it down.")
    return Verdict("true here" if longer < lesson + 0.1 else "half true", numbers)


CLAIM = Claim(
    name="training.loud_embeddings",
    lesson="labs/07_what_trains",
    conditions=(
        Condition(LESSON, {"bug": "embeddings √d too loud", "steps": 150}),
        Condition(LONGER, {"bug": "embeddings √d too loud", "steps": 600}, "longer"),
        Condition(USUAL, {"bug": "no bug", "steps": 150}, "control"),
    ),
    first=200,
    metric=SHARE,
    label="share of words right",
    along="steps",
    axis="steps of training",
)
