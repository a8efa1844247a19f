"""Lesson 04, section 15: does a model with sinusoids read longer texts than it was trained on?"""

from evidence.claim import Claim, Condition, Runs, Verdict
from evidence.claims.positional_encoding.word_before import SHORT, STEPS, TWICE, measure

LESSON, LATE = "sinusoids", "3 times the steps"
ANYWHERE, GUESS = "started anywhere", "untrained"


def decide(runs: Runs) -> Verdict:
    trainings = (LESSON, LATE)
    learned = sum(runs.count(lambda share: share > 0.9, name, SHORT) for name in trainings)
    guessed = sum(runs.count(lambda share: share < 0.15, name, TWICE) for name in trainings)
    kept = sum(runs.count(lambda share: share > 0.9, name, TWICE) for name in trainings)
    middle = runs.median
    numbers = (
        f"Trained on texts of 16 words, a typical model is right in {middle(LESSON, SHORT):.0%}"
        f" of words 9 to 16 and in {middle(LESSON, TWICE):.0%} of words 25 to 32, and in "
        f"{middle(LATE, TWICE):.0%} of them after three times the steps. Where each training "
        "text of 16 words starts anywhere between places 0 and 48, it is "
        f"{middle(ANYWHERE, TWICE):.0%}."
    )
    if learned == guessed == 20:
        return Verdict("false", numbers)
    return Verdict("true" if kept == 20 else "not decided", numbers)


CLAIM = Claim(
    name="positions.sinusoids_longer",
    lesson="04_positional_encoding",
    says="Sinusoidal positions let a model read longer texts than those it was trained on.",
    title="Beyond the trained length sinusoidal positions fail at once",
    source="Vaswani et al. 2017, section 3.5, as a hope",
    measure=measure,
    conditions=(
        Condition(LESSON, {"positions": "sinusoidal"}),
        Condition(LATE, {"positions": "sinusoidal", "steps": 3 * STEPS}, "longer"),
        Condition(ANYWHERE, {"positions": "sinusoidal", "steps": 400, "latest": 48}, "control"),
        Condition(GUESS, {"positions": "sinusoidal", "steps": 0}, "chance"),
    ),
    metric=TWICE,
    label="share right at words 25 to 32",
    along={16: "words 9 to 16", 32: "words 25 to 32", 64: "words 57 to 64"},
    axis="last of eight words (texts in training end at word 16)",
    height="share right",
    criterion=(
        "False where in all 10 runs of both trainings more than 0.9 of words 9 to 16 and less "
        "than 0.15 of words 25 to 32 are right (a guess is right in 1/16); true where more than "
        "0.9 of both are. That the new places are the cause is said only if models that have met "
        "all of them, in texts just as short, are right in more than 0.9 of words 25 to 32."
    ),
)
