"""Lab "What do trained heads do?", section 5: does each of two heads take one job?"""

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.multi_head_attention.side_by_side import RUNS
from evidence.claims.multi_head_attention.two_questions import (
    TASKS,
    OneLayer,
    forced_weights,
    right,
    trained,
)

PARTED, RIGHT = "separation", "both right"
ROLES, LONGER = "subject and pronoun", "subject and pronoun, three times longer"
PLACES, SORTED = "who and on whom", "who and on whom, a she on a he"
COUPLES = "which she and which he"
IDEAL, CHANCE = "one job forced on each", "untrained"


def measure(seed: int, question: str, steps: int, forced: bool) -> Numbers:
    """Train two heads; how far do they part, judged by what breaks without either of them?

    Without head h means: what it brings home is replaced by its mean over all sentences. The drop
    in right answers is counted over sentences whose two answers differ. Separation is the least,
    over the two heads, of the drop of its own answer less that of the other, for the better of the
    two ways to assign heads to answers.
    """
    task = TASKS[question]()
    model = trained(seed, question, steps, 2, forced=forced)
    with torch.no_grad():
        tokens = model.embed(task.sentences)
        weights = model.weights(tokens, task.row)
        if forced:
            weights = forced_weights(task.sentences, task.answers)
        heads = model.heads(tokens, weights)
        before = right(model, heads, task.answers)
        differ = task.answers[:, 0] != task.answers[:, 1]
        drops = torch.stack(
            [_drop(model, heads, head, before, task.answers, differ) for head in (0, 1)]
        )
    own = drops[:, 0] - drops[:, 1]  # of each head: how much more the first answer suffers
    parted = max(min(own[0].item(), -own[1].item()), min(-own[0].item(), own[1].item()))
    return {PARTED: parted, RIGHT: before.all(1).float().mean().item()}


def _drop(
    model: OneLayer, heads: Tensor, head: int, before: Tensor, answers: Tensor, differ: Tensor
) -> Tensor:
    without = heads.clone()
    without[:, head] = heads[:, head].mean(0)
    lost = before.float() - right(model, without, answers).float()
    return lost[differ].mean(0)


def decide(runs: Runs) -> Verdict:
    """Two heads part where the separation is over 0.5: without a head (its mean over all sentences
    in its place) its own answer loses at least half of the sentences more than the other does.
    True: in at least eight of 10 runs, also after three times as many steps. False: in fewer than
    five, with either number of steps. Heads that are forced to do one job each must part in all
    runs, untrained ones in none.
    """
    parted = {name: runs.count(lambda value: value > 0.5, name, PARTED) for name in _ALL}
    numbers = (
        f"The heads part in {parted[ROLES]} of 10 runs for subject and pronoun "
        f"({parted[LONGER]} after three times as many steps), and in {parted[SORTED]} where the "
        f"nouns tell which is which. Forced to do one job each, they part in {parted[IDEAL]}."
    )
    if parted[IDEAL] < 10 or parted[CHANCE] > 0 or runs.median(ROLES, RIGHT) < 0.9:
        return Verdict("not decided", numbers)
    counts = (parted[ROLES], parted[LONGER])
    return Verdict.of(numbers, true=min(counts) >= 8, false=max(counts) < 5, half_true=True)


_ALL = (ROLES, LONGER, PLACES, SORTED, COUPLES, IDEAL, CHANCE)
CLAIM = Claim(
    name="heads.one_job",
    lesson="labs/03_trained_heads",
    conditions=(
        Condition(ROLES, {"question": "roles", "steps": 400, "forced": False}),
        Condition(LONGER, {"question": "roles", "steps": 1200, "forced": False}, "longer"),
        Condition(PLACES, {"question": "places", "steps": 400, "forced": False}, "control"),
        Condition(SORTED, {"question": "sorted", "steps": 400, "forced": False}, "control"),
        Condition(COUPLES, {"question": "couples", "steps": 400, "forced": False}, "control"),
        Condition(IDEAL, {"question": "roles", "steps": 400, "forced": True}, "ideal"),
        Condition(CHANCE, {"question": "roles", "steps": 0, "forced": False}, "chance"),
    ),
    runs=RUNS,
    first=200,
    metric=PARTED,
    label="separation of the two heads",
)
