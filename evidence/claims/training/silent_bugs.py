"""Lesson 07, the bug hunt: does a model that does its task hold no mistake?"""

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.training.reversing import BUGS, share_right

SILENT, RIGHT = "mistakes that do the task", "no bug"
ENOUGH = 0.99
TRAINED, UNTRAINED = "150 steps", "one step"


def measure(seed: int, steps: int) -> Numbers:
    """Train the right model and twelve wrong ones; the share of words that each says rightly."""
    shares = {bug: share_right(bug, seed, steps) for bug in (RIGHT, *BUGS)}
    return {SILENT: sum(shares[bug] >= ENOUGH for bug in BUGS), **shares}


def decide(runs: Runs) -> Verdict:
    """False if in every run the right model and at least half of the twelve wrong ones say 99 of
    100 words rightly; true if no wrong one ever does.
    """
    silent = runs.values(TRAINED, SILENT)
    right = runs.values(TRAINED, RIGHT)
    loud = [bug for bug in BUGS if max(runs.values(TRAINED, bug)) < ENOUGH]
    always = sum(min(runs.values(TRAINED, bug)) >= ENOUGH for bug in BUGS)
    numbers = (
        f"Of {len(BUGS)} planted mistakes {min(silent):.0f} to {max(silent):.0f} leave at least "
        f"{ENOUGH:.0%} of the words right, {always} of them in every run; the right model has at "
        f"least {min(right):.1%}. In no run do it: {', '.join(loud) or 'none'}."
    )
    if min(silent) >= len(BUGS) / 2 and min(right) >= ENOUGH:
        return Verdict("false", numbers)
    return Verdict("true" if max(silent) == 0 else "not decided", numbers)


CLAIM = Claim(
    name="training.silent_bugs",
    lesson="07_training",
    conditions=(Condition(TRAINED, {"steps": 150}), Condition(UNTRAINED, {"steps": 1}, "chance")),
    metric=SILENT,
    label="mistakes, of 12, with at least 99 % of the words right",
    along={bug: bug for bug in (RIGHT, *BUGS)},
    height="share of words right after 150 steps",
)
