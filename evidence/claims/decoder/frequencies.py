"""The lab of lesson 06: do draws follow the frequencies of the training text?"""

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.decoder.sampling import probabilities

DISTANCE = "distance"
ONE, LOW, HIGH, UNTRAINED = "temperature 1", "temperature 0.5", "temperature 2", "untrained"


def measure(seed: int, temperature: float, training: bool) -> Numbers:
    """Total variation between what the model would draw and the grammar, mean over sentences."""
    drawn = probabilities(seed, temperature, apart=False, training=training)
    used = torch.tensor([0.4, 0.2, 0.2, 0.2])
    other_texts = 1 - drawn.sum(-1)
    distance = ((drawn - used).abs().sum(-1) + other_texts) / 2
    return {DISTANCE: distance.mean().item(), "no translation": other_texts.mean().item()}


def decide(runs: Runs) -> Verdict:
    one = runs.values(ONE, DISTANCE)
    numbers = (
        f"Total variation between the model's texts and the grammar's: {min(one):.2f} to "
        f"{max(one):.2f} at temperature 1, in the median {runs.median(LOW, DISTANCE):.2f} at 0.5 "
        f"and {runs.median(HIGH, DISTANCE):.2f} at 2."
    )
    return Verdict("true here" if max(one) < 0.15 else "not decided", numbers)


CLAIM = Claim(
    name="sampling.frequencies",
    lesson="labs/06_search",
    says="Draws at temperature 1 follow the frequencies of the training text.",
    source="what a model trained by maximum likelihood should do",
    measure=measure,
    conditions=(
        Condition(ONE, {"temperature": 1.0, "training": True}),
        Condition(LOW, {"temperature": 0.5, "training": True}, "control"),
        Condition(HIGH, {"temperature": 2.0, "training": True}, "control"),
        Condition(UNTRAINED, {"temperature": 1.0, "training": False}, "chance"),
    ),
    runs=10,
    metric=DISTANCE,
    label="total variation from the grammar's 0.4, 0.2, 0.2, 0.2",
    criterion=(
        "True here: the distance is below 0.15 in all runs, on this grammar, which leaves the "
        "model nothing unlearned. 0 is the same distribution, 1 has no text in common."
    ),
    decide=decide,
)
