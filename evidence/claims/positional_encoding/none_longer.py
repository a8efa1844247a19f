"""Lab 04: does a model without positions read longer texts better than one with positions?"""

from evidence.claim import Claim, Condition, Runs, Verdict
from evidence.claims.positional_encoding.word_before import LONGER, SHORT, TWICE, measure

NONE, GUESS, LATE = "none", "untrained", ", 4 times the steps"
KINDS = ("sinusoidal", "relative", "rotary", "alibi")


def decide(runs: Runs) -> Verdict:
    def better(one: str, other: str, late: str) -> bool:
        pairs = zip(runs.values(one + late, TWICE), runs.values(other + late, TWICE), strict=True)
        return all(a > b for a, b in pairs)

    beaten = [kind for kind in KINDS if all(better(NONE, kind, late) for late in ("", LATE))]
    ahead = [kind for kind in KINDS if all(better(kind, NONE, late) for late in ("", LATE))]
    middle = runs.median
    numbers = (
        f"At twice the trained length the model without positions is right in "
        f"{middle(NONE, TWICE):.0%}, of {middle(NONE, SHORT):.0%} at the trained length; after "
        f"four times the steps in {middle(NONE + LATE, TWICE):.0%}, of "
        f"{middle(NONE + LATE, SHORT):.0%}. In every pair of runs, short or long, it beats "
        f"{_list(beaten)} and is beaten by {_list(ahead)}."
    )
    if len(beaten) == len(KINDS):
        return Verdict("true", numbers)
    if len(ahead) == len(KINDS):
        return Verdict("false", numbers)
    return Verdict("half true" if beaten and ahead else "not decided", numbers)


def _list(kinds: list[str]) -> str:
    return ", ".join(kinds) if kinds else "none of them"


CLAIM = Claim(
    name="positions.none_longer",
    lesson="labs/04_positions_in_use",
    says="On texts longer than in training a decoder without positions does best.",
    source="Kazemnejad et al. 2023, abstract, of small decoders on tasks of reasoning",
    measure=measure,
    conditions=(
        Condition(NONE, {"positions": "none"}),
        *(Condition(kind, {"positions": kind}, "control") for kind in KINDS),
        *(
            Condition(kind + LATE, {"positions": kind, "steps": LONGER}, "longer")
            for kind in (NONE, *KINDS)
        ),
        Condition(GUESS, {"positions": "none", "steps": 0}, "chance"),
    ),
    runs=10,
    metric=TWICE,
    label="share right at words 25 to 32",
    criterion=(
        "Pairs of runs with the same seed and steps. True where at twice the trained length the "
        "model without positions is ahead of all four others in all 10 pairs of both trainings, "
        "false where it is behind all of them, half true where it is ahead of some and behind "
        "others."
    ),
    revised=(
        "The longer trainings were added when the others had been made and two longer runs "
        "without positions, with other seeds, had been seen."
    ),
    decide=decide,
)
