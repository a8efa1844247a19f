"""Lab 04: does a model without positions read longer texts better than one with positions?"""

from evidence.claim import Claim, Condition, Runs, Verdict
from evidence.claims.positional_encoding.word_before import LONGER, SHORT, TWICE, measure

NONE, GUESS = "none", "untrained"
LATER = "none, 800 steps"
KINDS = ("sinusoidal", "relative", "rotary", "alibi")


def decide(runs: Runs) -> Verdict:
    pairs = {kind: runs.pairs(NONE, kind, TWICE) for kind in KINDS}
    beaten = [kind for kind in KINDS if all(a > b for a, b in pairs[kind])]
    ahead = [kind for kind in KINDS if all(a < b for a, b in pairs[kind])]
    middle = runs.median
    numbers = (
        f"At twice the trained length the model without positions is right in "
        f"{middle(NONE, TWICE):.0%}, of {middle(NONE, SHORT):.0%} at the trained length. In every "
        f"pair of runs it beats {_list(beaten)} and is beaten by {_list(ahead)}. After "
        f"800 steps it is right in {middle(LATER, TWICE):.0%} at twice the length, of "
        f"{middle(LATER, SHORT):.0%}."
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
    title="On longer texts no positions beat sinusoids, and nothing else",
    source="Kazemnejad et al. 2023, abstract, of small decoders on tasks of reasoning",
    measure=measure,
    conditions=(
        Condition(NONE, {"positions": "none"}),
        *(Condition(kind, {"positions": kind}, "control") for kind in KINDS),
        Condition(LATER, {"positions": "none", "steps": LONGER}, "longer"),
        Condition(GUESS, {"positions": "none", "steps": 0}, "chance"),
    ),
    metric=TWICE,
    label="share right at words 25 to 32",
    along={16: "words 9 to 16", 32: "words 25 to 32", 64: "words 57 to 64"},
    axis="last of eight words (texts in training end at word 16)",
    height="share right",
    criterion=(
        "Pairs of runs with the same seed. True where at twice the trained length the model "
        "without positions is ahead of all four others in all 10 pairs, false where it is behind "
        "all of them, half true where it is ahead of some and behind others."
    ),
)
