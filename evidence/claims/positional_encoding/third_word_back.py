"""Lab 04: does ALiBi serve as well where the answer does not stand next door?"""

from evidence.claim import Claim, Condition, Runs, Verdict
from evidence.claims.positional_encoding.word_before import LONGER, SHORT, measure

ALIBI, ROTARY, NEXT, GUESS = "ALiBi", "rotary", "ALiBi, one back", "untrained"
LATER = "ALiBi, 800 steps"


def decide(runs: Runs) -> Verdict:
    """At the trained length, in pairs of runs with the same seed and number of steps. True where
    ALiBi is nowhere more than 0.1 behind rotary positions, false where it is in all 10 pairs, half
    true in between.
    """
    behind = sum(alibi < rotary - 0.1 for alibi, rotary in runs.pairs(ALIBI, ROTARY, SHORT))
    numbers = (
        "Asked for the third word back, rotary positions are right in "
        f"{runs.median(ROTARY, SHORT):.0%} after 200 steps, ALiBi in "
        f"{runs.median(ALIBI, SHORT):.0%}, and after 800 in {runs.median(LATER, SHORT):.0%}. "
        "Asked for the word before, ALiBi is right in "
        f"{runs.median(NEXT, SHORT):.0%}."
    )
    return Verdict.of(numbers, true=behind == 0, false=behind == 10, half_true=True)


CLAIM = Claim(
    name="positions.third_word_back",
    lesson="labs/04_positions_in_use",
    measure=measure,
    conditions=(
        Condition(ALIBI, {"positions": "alibi", "back": 3}),
        Condition(ROTARY, {"positions": "rotary", "back": 3}, "control"),
        Condition(LATER, {"positions": "alibi", "back": 3, "steps": LONGER}, "longer"),
        Condition(NEXT, {"positions": "alibi"}, "ideal"),
        Condition(GUESS, {"positions": "alibi", "back": 3, "steps": 0}, "chance"),
    ),
    first=200,
    metric=SHORT,
    label="share right at words 9 to 16",
)
