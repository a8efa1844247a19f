"""Lab 04: does a model with rotary positions read longer texts than it was trained on?"""

from evidence.claim import Claim, Condition, Runs, Verdict
from evidence.claims.positional_encoding.longer import CRITERION, word
from evidence.claims.positional_encoding.word_before import FOUR, LONGER, SHORT, TWICE, measure

LESSON, LATE, GUESS = "rotary", "4 times the steps", "untrained"


def decide(runs: Runs) -> Verdict:
    middle = runs.median
    numbers = (
        f"Of {middle(LESSON, SHORT):.0%} right at the trained length, {middle(LESSON, TWICE):.0%} "
        f"are left at twice and {middle(LESSON, FOUR):.0%} at four times that length; after four "
        f"times the steps {middle(LATE, TWICE):.0%} and {middle(LATE, FOUR):.0%}."
    )
    return Verdict(word(runs, (LESSON, LATE)), numbers)


CLAIM = Claim(
    name="positions.rotary_longer",
    lesson="labs/04_positions_in_use",
    says="Rotary positions are flexible in the length of the text.",
    title="Rotary positions fade beyond the trained length, and do not break",
    source="Su et al. 2021, abstract",
    measure=measure,
    conditions=(
        Condition(LESSON, {"positions": "rotary"}),
        Condition(LATE, {"positions": "rotary", "steps": LONGER}, "longer"),
        Condition(GUESS, {"positions": "rotary", "steps": 0}, "chance"),
    ),
    first=200,
    metric=FOUR,
    label="share right at words 57 to 64",
    along={16: "words 9 to 16", 32: "words 25 to 32", 64: "words 57 to 64"},
    axis="last of eight words (texts in training end at word 16)",
    height="share right",
    criterion=CRITERION,
    revised=(
        "The longer training was dropped at first for lack of time, and added when the other "
        "runs had been made."
    ),
)
