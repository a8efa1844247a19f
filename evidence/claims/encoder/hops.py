"""Lab of lesson 05: does a reader need several layers to find out who is meant?"""

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.encoder.sentences import stories, trained

RIGHT = "right"
IT_ONE = "it, one layer"
TWO, ONE = "by the place, two layers", "by the place, one layer"
LONGER = "by the place, one layer, three times as long"


def measure(seed: int, num_layers: int, question: str, steps: int) -> Numbers:
    """Share of right answers on stories that were not trained on."""
    model, unseen = trained(seed, num_layers, question, steps)
    batch, answers = stories(question)
    with torch.no_grad():
        right = model(batch[unseen]).argmax(-1) == answers[unseen]
    return {RIGHT: right.float().mean().item()}


def decide(runs: Runs) -> Verdict:
    counts = {name: runs.count(lambda r: r > 0.9, name, RIGHT) for name in (IT_ONE, TWO, ONE)}
    late = runs.count(lambda r: r > 0.9, LONGER, RIGHT)
    numbers = (
        f"Where *it* is always the first actor, one layer answers in {counts[IT_ONE]} of 10 runs. "
        f"Where the place decides, two layers do after 500 steps in {counts[TWO]} of 10, one layer "
        f"in {counts[ONE]}, and after 1,500 steps in {late}."
    )
    if counts[TWO] < 8:
        return Verdict("not decided", numbers)
    if late == 0:
        return Verdict("half true" if counts[IT_ONE] > 8 else "true", numbers)
    return Verdict("false", numbers)


CLAIM = Claim(
    name="encoder.hops",
    lesson="labs/05_depth",
    says="To find out which of two actors is meant, a reader needs more than one layer.",
    source="said of coreference in many guides",
    measure=measure,
    conditions=(
        Condition(IT_ONE, {"num_layers": 1, "question": "it", "steps": 100}),
        Condition(TWO, {"num_layers": 2, "question": "place", "steps": 500}),
        Condition(ONE, {"num_layers": 1, "question": "place", "steps": 500}, "control"),
        Condition(LONGER, {"num_layers": 1, "question": "place", "steps": 1500}, "longer"),
    ),
    runs=10,
    metric=RIGHT,
    label="share of right answers on unseen stories (either actor: 0.5)",
    criterion=(
        "A run answers if more than 90 % of the unseen stories come out right; naming either actor "
        "gives 50 %. True if two layers answer in at least 8 of 10 runs and one layer in none, on "
        "either kind of story and after three times the steps; half true if one layer fails on the "
        "second kind alone; false if it ever answers there."
    ),
    decide=decide,
)
