"""Lab 02, section 2: how much weight does a word put on itself once the layer is trained?"""

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.self_attention.sentences import Goal, all_sentences, task, train
from transformer_lesson import seeded

OWN = "mean weight of a word on itself"
REPEAT, NEXT, HIDDEN = "repeat a word", "next word", "fill a gap"
LONGER_REPEAT, LONGER_HIDDEN = "repeat, 3 times longer", "fill a gap, 3 times longer"
RANDOM, UNTRAINED = "repeat a random word", "untrained"
STEPS = 400


def measure(seed: int, goal: Goal, steps: int) -> Numbers:
    """Mean weight on the own word, and the share of right words, in the rows that count."""
    model = train(goal, seed, steps)
    inputs, targets, rows, mask = task(goal, all_sentences().repeat(20, 1), seeded(9))
    with torch.no_grad():
        logits, weights = model(inputs, mask)
    own = weights.diagonal(dim1=-2, dim2=-1).gather(1, rows)
    right = (logits.argmax(-1) == targets).gather(1, rows)
    return {OWN: own.mean().item(), "right": right.float().mean().item()}


def decide(runs: Runs) -> Verdict:
    """Mostly is more than half of the weight. True if it holds in at least 19 of 20 runs of every
    goal; true here, depending on the goal, if it holds in at least 19 runs where nothing else says
    what to repeat and in at most one that fills a gap; false if no goal brings it in more than 10
    runs.
    """
    goals = (REPEAT, LONGER_REPEAT, NEXT, HIDDEN, LONGER_HIDDEN, RANDOM)
    mostly = {goal: runs.count(lambda value: value > 0.5, goal, OWN) for goal in goals}
    numbers = (
        f"More than half of the weight was on the word itself in {mostly[REPEAT]} of 20 runs that "
        f"learned to repeat it ({mostly[LONGER_REPEAT]} with three times the training), in "
        f"{mostly[NEXT]} that learned the next word, in {mostly[HIDDEN]} that learned to fill a "
        f"gap ({mostly[LONGER_HIDDEN]}), and in {mostly[RANDOM]} where only the word itself says "
        "what to repeat."
    )
    if min(mostly.values()) >= 19:
        return Verdict("true", numbers)
    if mostly[RANDOM] >= 19 and max(mostly[HIDDEN], mostly[LONGER_HIDDEN]) <= 1:
        return Verdict("true here", numbers)
    return Verdict("false" if max(mostly.values()) <= 10 else "not decided", numbers)


CLAIM = Claim(
    name="attention.diagonal_trained",
    lesson="labs/02_trained_attention",
    conditions=(
        Condition(REPEAT, {"goal": "repeat", "steps": STEPS}),
        Condition(LONGER_REPEAT, {"goal": "repeat", "steps": 3 * STEPS}, "longer"),
        Condition(NEXT, {"goal": "next", "steps": STEPS}),
        Condition(HIDDEN, {"goal": "gap", "steps": STEPS}),
        Condition(LONGER_HIDDEN, {"goal": "gap", "steps": 3 * STEPS}, "longer"),
        Condition(RANDOM, {"goal": "random", "steps": STEPS}, "ideal"),
        Condition(UNTRAINED, {"goal": "repeat", "steps": 0}, "chance"),
    ),
    runs=20,
    metric=OWN,
    label="mean weight of a word on itself, of six words",
)
