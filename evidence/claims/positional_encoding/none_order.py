"""Lab 04: does a causal model without positions know the order of the words?"""

from typing import Any

from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.positional_encoding.word_before import SHORT, TRAINED, VOCAB, texts
from evidence.claims.positional_encoding.word_before import measure as measure_model
from transformer_lesson import seeded

TWO, ONE = "two layers", "one layer"
BAG, TOLD = "best guess from the bag", "two layers with ALiBi"


def measure(seed: int, positions: str, **settings: Any) -> Numbers:
    """One run of a model, or of the best that can be done without any order."""
    if positions == "bag":
        return {SHORT: best_guess(seed)}
    return {SHORT: measure_model(seed, positions, **settings)[SHORT]}  # type: ignore[arg-type]


def best_guess(seed: int) -> float:
    """How often the most frequent of the words so far is the one before, at words 9 to 16.

    In random texts, every order of the words before the present one is equally likely: nothing
    that reads them as a bag does better.
    """
    batch = texts(10_000, TRAINED, seeded(seed))
    so_far = F.one_hot(batch, VOCAB).cumsum(1)[:, :-1]  # (texts, places, words), before the present
    guess = so_far.argmax(-1)
    return (guess == batch[:, :-1])[:, -8:].float().mean().item()


def decide(runs: Runs) -> Verdict:
    """True where in all 10 runs two layers are right more often than the best guess from the bag of
    words so far by over 0.1, and one layer is within 0.05 of it.
    """
    bag = runs.median(BAG, SHORT)
    ordered = runs.count(lambda share: share > bag + 0.1, TWO, SHORT)
    unordered = runs.count(lambda share: share < bag + 0.05, ONE, SHORT)
    numbers = (
        "At words 9 to 16, without positions, two layers are right in "
        f"{runs.median(TWO, SHORT):.0%} and one layer in {runs.median(ONE, SHORT):.0%}. The best "
        f"guess that ignores the order is right in {bag:.0%}."
    )
    return Verdict.of(numbers, true=ordered == unordered == 10, false=ordered == 0)


CLAIM = Claim(
    name="positions.none_order",
    lesson="labs/04_positions_in_use",
    conditions=(
        Condition(TWO, {"positions": "none"}),
        Condition(ONE, {"positions": "none", "layers": 1}, "control"),
        Condition(TOLD, {"positions": "alibi"}, "ideal"),
        Condition(BAG, {"positions": "bag"}, "chance"),
    ),
    metric=SHORT,
    label="share right at words 9 to 16",
)
