"""Lab 04: does a model with rotary positions read longer texts than it was trained on?"""

from evidence.claim import Claim, Condition, Runs, Verdict
from evidence.claims.positional_encoding.word_before import FOUR, LONGER, SHORT, TWICE, measure

LESSON, LATE, GUESS = "rotary", "4 times the steps", "untrained"
FEW, SPREAD = "only the last 16 keys", "16 keys, some far away"


def decide(runs: Runs) -> Verdict:
    trainings = (LESSON, LATE)
    kept = sum(runs.count(lambda share: share > 0.9, name, FOUR) for name in trainings)
    twice = sum(runs.count(lambda share: share > 0.3, name, TWICE) for name in trainings)
    guessed = sum(runs.count(lambda share: share < 0.15, name, TWICE) for name in trainings)
    middle = runs.median
    numbers = (
        f"Of {middle(LESSON, SHORT):.0%} right at the trained length, {middle(LESSON, TWICE):.0%} "
        f"are left at twice and {middle(LESSON, FOUR):.0%} at four times that length; after four "
        f"times the steps {middle(LATE, TWICE):.0%} and {middle(LATE, FOUR):.0%}. With 16 keys "
        "for each query the same models are right at four times the length in "
        f"{middle(FEW, FOUR):.0%} if these are the last 16, and in {middle(SPREAD, FOUR):.0%} if "
        "half of them lie up to 63 words back."
    )
    if kept == 20:
        return Verdict("true", numbers)
    if guessed == 20:
        return Verdict("false", numbers)
    return Verdict("half true" if twice == 20 else "not decided", numbers)


CLAIM = Claim(
    name="positions.rotary_longer",
    lesson="labs/04_positions_in_use",
    says="Rotary positions are flexible in the length of the text.",
    source="Su et al. 2021, abstract",
    measure=measure,
    conditions=(
        Condition(LESSON, {"positions": "rotary"}),
        Condition(LATE, {"positions": "rotary", "steps": LONGER}, "longer"),
        Condition(FEW, {"positions": "rotary", "keys": "last 16"}, "control"),
        Condition(SPREAD, {"positions": "rotary", "keys": "spread"}, "control"),
        Condition(GUESS, {"positions": "rotary", "steps": 0}, "chance"),
    ),
    runs=10,
    metric=FOUR,
    label="share right at words 57 to 64",
    criterion=(
        "True where in all 10 runs, also after four times the steps, more than 0.9 of words 57 to "
        "64 are right; false where less than 0.15 of words 25 to 32 are (a guess is right in "
        "1/16). Half true where in all runs more than 0.3 are right at twice the trained length, "
        "but not 0.9 at four times."
    ),
    revised=(
        "The longer training was dropped at first for lack of time, and added when the other "
        "runs had been made."
    ),
    decide=decide,
)
