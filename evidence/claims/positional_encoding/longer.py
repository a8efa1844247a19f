"""Lesson 04 and its lab: which models read texts longer than those that they were trained on?"""

from dataclasses import replace

from evidence.claim import Claim, Condition, Runs, Verdict
from evidence.claims.positional_encoding.word_before import (
    FOUR,
    LONGER,
    SHORT,
    STEPS,
    TWICE,
    measure,
)

LATE, GUESS = "4 times the steps", "untrained"
ROTARY, RELATIVE, ALIBI, SINUSOIDS, NONE = "rotary", "relative bias", "ALiBi", "sinusoids", "none"
LATE_SINUSOIDS, ANYWHERE, LATE_NONE = "3 times the steps", "started anywhere", "none, 800 steps"
FLAT, FEW = "without the slopes", "only the last 16 keys"
KINDS = ("sinusoidal", "relative", ROTARY, ALIBI)


def decide(runs: Runs) -> Verdict:
    """True where in all 10 runs, also after four times the steps, more than 0.9 of words 57 to 64
    are right (a guess is right in 1/16); false where in none.
    """
    middle, kind = runs.median, runs.conditions[0]
    numbers = (
        f"Of {middle(kind, SHORT):.0%} right at the trained length, {middle(kind, TWICE):.0%} are "
        f"left at twice and {middle(kind, FOUR):.0%} at four times that length; after four times "
        f"the steps {middle(LATE, TWICE):.0%} and {middle(LATE, FOUR):.0%}."
    )
    four = [share for name in (kind, LATE) for share in runs.values(name, FOUR)]
    return Verdict.of(numbers, true=min(four) > 0.9, false=max(four) <= 0.9)


CLAIM = Claim(
    name="positions.rotary_longer",
    lesson="labs/04_positions_in_use",
    measure=measure,
    conditions=(
        Condition(ROTARY, {"positions": "rotary"}),
        Condition(LATE, {"positions": "rotary", "steps": LONGER}, "longer"),
        Condition(GUESS, {"positions": "rotary", "steps": 0}, "chance"),
    ),
    first=200,
    metric=FOUR,
    label="share right at words 57 to 64",
    along={16: "words 9 to 16", 32: "words 25 to 32", 64: "words 57 to 64"},
    axis="last of eight words (texts in training end at word 16)",
    height="share right",
)

CLAIM_RELATIVE = replace(
    CLAIM,
    name="positions.relative_longer",
    conditions=(
        Condition(RELATIVE, {"positions": "relative"}),
        Condition(LATE, {"positions": "relative", "steps": LONGER}, "longer"),
        Condition(FEW, {"positions": "relative", "keys": "last 16"}, "control"),
        Condition(GUESS, {"positions": "relative", "steps": 0}, "chance"),
    ),
    first=0,
)


def decide_alibi(runs: Runs) -> Verdict:
    """True here where in all 10 runs, also after four times the steps, the share right at four
    times the trained length is more than 0.9 of that at the trained length. *Here*, because the
    answer stands near by, as the slopes like it.
    """
    kept = [
        long / short
        for name in (ALIBI, LATE)
        for long, short in zip(runs.values(name, FOUR), runs.values(name, SHORT), strict=True)
    ]
    numbers = (
        f"A typical model is right in {runs.median(ALIBI, SHORT):.0%} at the trained length and in "
        f"{runs.median(ALIBI, FOUR):.0%} at four times that length. In no run, of either training, "
        f"is less than {min(kept):.0%} of the first share left. Without the slopes, that is, "
        f"without positions, the second is {runs.median(FLAT, FOUR):.0%}."
    )
    return Verdict("true here" if min(kept) > 0.9 else "not decided", numbers)


CLAIM_ALIBI = replace(
    CLAIM,
    name="positions.alibi_longer",
    lesson="04_positional_encoding",
    conditions=(
        Condition(ALIBI, {"positions": "alibi"}),
        Condition(LATE, {"positions": "alibi", "steps": LONGER}, "longer"),
        Condition(FLAT, {"positions": "none"}, "control"),
        Condition(GUESS, {"positions": "alibi", "steps": 0}, "chance"),
    ),
    first=0,
)


def decide_sinusoids(runs: Runs) -> Verdict:
    """False where in all 10 runs of both trainings more than 0.9 of words 9 to 16 and less than
    0.15 of words 25 to 32 are right (a guess is right in 1/16); true where more than 0.9 of both
    are. That the new places are the cause is said only if models that have met all of them, in
    texts just as short, are right in more than 0.9 of words 25 to 32.
    """
    trainings = (SINUSOIDS, LATE_SINUSOIDS)
    learned = sum(runs.count(lambda share: share > 0.9, name, SHORT) for name in trainings)
    guessed = sum(runs.count(lambda share: share < 0.15, name, TWICE) for name in trainings)
    kept = sum(runs.count(lambda share: share > 0.9, name, TWICE) for name in trainings)
    numbers = (
        f"A typical model is right in {runs.median(SINUSOIDS, SHORT):.0%} of words 9 to 16 and in "
        f"{runs.median(SINUSOIDS, TWICE):.0%} of words 25 to 32. Where each training text of 16 "
        f"words starts anywhere between places 0 and 48, it is {runs.median(ANYWHERE, TWICE):.0%}."
    )
    return Verdict.of(numbers, false=learned == guessed == 20, true=kept == 20)


CLAIM_SINUSOIDS = replace(
    CLAIM,
    name="positions.sinusoids_longer",
    lesson="04_positional_encoding",
    conditions=(
        Condition(SINUSOIDS, {"positions": "sinusoidal"}),
        Condition(LATE_SINUSOIDS, {"positions": "sinusoidal", "steps": 3 * STEPS}, "longer"),
        Condition(ANYWHERE, {"positions": "sinusoidal", "steps": 400, "latest": 48}, "control"),
        Condition(GUESS, {"positions": "sinusoidal", "steps": 0}, "chance"),
    ),
    first=0,
    metric=TWICE,
    label="share right at words 25 to 32",
)


def decide_none(runs: Runs) -> Verdict:
    """Pairs of runs with the same seed, at twice the trained length. True where the model without
    positions is ahead of all four others in all 10 pairs, false where one of them is ahead of it in
    all 10.
    """
    pairs = {kind: runs.pairs(NONE, kind, TWICE) for kind in KINDS}
    beaten = [kind for kind in KINDS if all(a > b for a, b in pairs[kind])]
    ahead = [kind for kind in KINDS if all(a < b for a, b in pairs[kind])]
    numbers = (
        f"At twice the trained length the model without positions is right in "
        f"{runs.median(NONE, TWICE):.0%} ({runs.median(LATE_NONE, TWICE):.0%} after 800 steps). In "
        f"every pair of runs it beats {', '.join(beaten) or 'none of them'} and is beaten by "
        f"{', '.join(ahead) or 'none of them'}."
    )
    return Verdict.of(numbers, true=len(beaten) == len(KINDS), false=bool(ahead))


CLAIM_NONE = replace(
    CLAIM,
    name="positions.none_longer",
    conditions=(
        Condition(NONE, {"positions": "none"}),
        *(Condition(kind, {"positions": kind.lower()}, "control") for kind in KINDS),
        Condition(LATE_NONE, {"positions": "none", "steps": LONGER}, "longer"),
        Condition(GUESS, {"positions": "none", "steps": 0}, "chance"),
    ),
    first=0,
    metric=TWICE,
    label="share right at words 25 to 32",
    shown=(NONE, LATE_NONE, *(kind for kind in KINDS if kind != "relative"), GUESS),
)
