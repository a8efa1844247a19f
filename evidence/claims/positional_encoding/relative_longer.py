"""Lab 04: does a model with a relative bias read longer texts than it was trained on?"""

from evidence.claim import Claim, Condition, Runs, Verdict
from evidence.claims.positional_encoding.longer import CRITERION, word
from evidence.claims.positional_encoding.word_before import FOUR, LONGER, SHORT, TWICE, measure

LESSON, LATE, FEW, GUESS = (
    "relative bias",
    "4 times the steps",
    "only the last 16 keys",
    "untrained",
)


def decide(runs: Runs) -> Verdict:
    middle = runs.median
    numbers = (
        f"Of {middle(LESSON, SHORT):.0%} right at the trained length, "
        f"{middle(LESSON, TWICE):.0%} are left at twice and {middle(LESSON, FOUR):.0%} at "
        f"four times that length; after four times the steps {middle(LATE, TWICE):.0%} and "
        f"{middle(LATE, FOUR):.0%}. The same models, allowed to see the last 16 keys only, are "
        f"right in {middle(FEW, FOUR):.0%} at four times the length."
    )
    return Verdict(word(runs, (LESSON, LATE)), numbers)


CLAIM = Claim(
    name="positions.relative_longer",
    lesson="labs/04_positions_in_use",
    says="Clipping the largest distance lets a relative bias generalise to longer texts.",
    title="A clipped relative bias still fades at four times the length",
    source="Shaw et al. 2018, section 3.2",
    measure=measure,
    conditions=(
        Condition(LESSON, {"positions": "relative"}),
        Condition(LATE, {"positions": "relative", "steps": LONGER}, "longer"),
        Condition(FEW, {"positions": "relative", "keys": "last 16"}, "control"),
        Condition(GUESS, {"positions": "relative", "steps": 0}, "chance"),
    ),
    metric=FOUR,
    label="share right at words 57 to 64",
    along={16: "words 9 to 16", 32: "words 25 to 32", 64: "words 57 to 64"},
    axis="last of eight words (texts in training end at word 16)",
    height="share right",
    criterion=CRITERION,
)
