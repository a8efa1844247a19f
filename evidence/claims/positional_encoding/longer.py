"""What the claims on longer texts have in common: one criterion for a bias and for rotations."""

from collections.abc import Sequence

from evidence.claim import Runs, Word
from evidence.claims.positional_encoding.word_before import FOUR, TWICE

CRITERION = (
    "True where in all 10 runs, also after four times the steps, more than 0.9 of words 57 to "
    "64 are right; false where less than 0.15 of words 25 to 32 are (a guess is right in "
    "1/16). Half true where in all runs more than 0.3 are right at twice the trained length, "
    "but not 0.9 at four times."
)


def word(runs: Runs, trainings: Sequence[str]) -> Word:
    """Apply the criterion to the runs of several conditions, all of which must meet it."""
    twice = [share for name in trainings for share in runs.values(name, TWICE)]
    four = [share for name in trainings for share in runs.values(name, FOUR)]
    if min(four) > 0.9:
        return "true"
    if max(twice) < 0.15:
        return "false"
    return "half true" if min(twice) > 0.3 else "not decided"
