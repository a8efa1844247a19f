"""Lesson 04, section 15: does a model with ALiBi read longer texts than it was trained on?"""

from evidence.claim import Claim, Condition, Runs, Verdict
from evidence.claims.positional_encoding.word_before import FOUR, LONGER, SHORT, measure

LESSON, LATE, FLAT, GUESS = "ALiBi", "4 times the steps", "without the slopes", "untrained"


def decide(runs: Runs) -> Verdict:
    shares = {name: runs.values(name, FOUR) for name in (LESSON, LATE)}
    trained = {name: runs.values(name, SHORT) for name in (LESSON, LATE)}
    kept = [
        long / short
        for name in shares
        for long, short in zip(shares[name], trained[name], strict=True)
    ]
    middle = runs.median
    numbers = (
        f"A typical model is right in {middle(LESSON, SHORT):.0%} at the trained length and in "
        f"{middle(LESSON, FOUR):.0%} at four times that length, after four times the steps in "
        f"{middle(LATE, SHORT):.0%} and {middle(LATE, FOUR):.0%}. In no run is less than "
        f"{min(kept):.0%} of the first share left. Without the slopes, that is, without positions, "
        f"the shares are {middle(FLAT, SHORT):.0%} and {middle(FLAT, FOUR):.0%}."
    )
    if min(kept) > 0.9:
        return Verdict("true here", numbers)
    return Verdict("half true" if min(kept) > 0.5 else "not decided", numbers)


CLAIM = Claim(
    name="positions.alibi_longer",
    lesson="04_positional_encoding",
    says="With ALiBi a model trained on short texts reads long ones.",
    title="ALiBi reads four times the trained length as well as the trained one",
    source="Press et al. 2022, abstract",
    measure=measure,
    conditions=(
        Condition(LESSON, {"positions": "alibi"}),
        Condition(LATE, {"positions": "alibi", "steps": LONGER}, "longer"),
        Condition(FLAT, {"positions": "none"}, "control"),
        Condition(GUESS, {"positions": "alibi", "steps": 0}, "chance"),
    ),
    metric=FOUR,
    label="share right at words 57 to 64",
    along={16: "words 9 to 16", 32: "words 25 to 32", 64: "words 57 to 64"},
    axis="last of eight words (texts in training end at word 16)",
    height="share right",
    criterion=(
        "True here where in all 10 runs, also after four times the steps, the share right at four "
        "times the trained length is more than 0.9 of that at the trained length; half true above "
        "0.5. *Here*, because the answer stands near by, as the slopes like it."
    ),
)
