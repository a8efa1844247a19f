"""Lab "What do trained heads do?", section 6: how many of eight heads can go after training?"""

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.multi_head_attention.side_by_side import RUNS
from evidence.claims.multi_head_attention.two_questions import OneLayer, places, right, trained

NEEDED, RIGHT = "heads needed", "right with all"
NARROW, WIDE = "eight heads of width 4", "eight heads of width 16"
IDEAL = "six of eight silent from the start"
FEW = 4  # half of the heads


def measure(seed: int, d_model: int, steps: int, silent: int) -> Numbers:
    """Train eight heads, then silence those that hurt least, one by one.

    Heads needed: the fewest with which the share of right answers is still at least 95 % of what
    it was.
    """
    task = places()
    model = trained(seed, "places", steps, 8, d_model=d_model, silent=silent)
    with torch.no_grad():
        tokens = model.embed(task.sentences)
        heads = model.heads(tokens, model.weights(tokens, task.row))
        left, share = set(range(8)), {8: right(model, heads, task.answers).float().mean().item()}
        while len(left) > 1:
            tried = {head: _share(model, heads, left - {head}, task.answers) for head in left}
            least = max(tried, key=lambda head: tried[head])
            left.remove(least)
            share[len(left)] = tried[least]
    needed = min(number for number in share if share[number] >= 0.95 * share[8])
    return {NEEDED: needed, RIGHT: share[8]}


def _share(model: OneLayer, heads: torch.Tensor, kept: set[int], answers: torch.Tensor) -> float:
    silenced = torch.zeros_like(heads)
    silenced[:, list(kept)] = heads[:, list(kept)]
    return right(model, silenced, answers).float().mean().item()


def decide(runs: Runs) -> Verdict:
    """Half of the eight heads can go if four keep at least 95 % of the right answers. True: in at
    least eight of 10 runs, for narrow heads and for wide ones. False: in at most two of 10, for
    both. Otherwise true here: it depends on the width.
    """
    enough = {name: runs.count(lambda value: value <= FEW, name, NEEDED) for name in _ALL}
    needed = {name: f"{runs.median(name, NEEDED):.2g}" for name in _ALL}
    numbers = (
        f"To stay within 5 % of what all eight heads get right, {needed[NARROW]} heads of width 4 "
        f"are needed, and {needed[WIDE]} of width 16 (medians). Half of the heads can go in "
        f"{enough[NARROW]} and in {enough[WIDE]} of 10 runs."
    )
    if enough[IDEAL] < 10 or runs.median(NARROW, RIGHT) < 0.95:
        return Verdict("not decided", numbers)
    counts = [enough[name] for name in (NARROW, WIDE)]
    return Verdict.of(numbers, true=min(counts) >= 8, false=max(counts) <= 2, true_here=True)


_ALL = (NARROW, WIDE, IDEAL)
CLAIM = Claim(
    name="heads.spare",
    lesson="labs/03_trained_heads",
    conditions=(
        Condition(NARROW, {"d_model": 32, "steps": 400, "silent": 0}),
        Condition(WIDE, {"d_model": 128, "steps": 400, "silent": 0}, "control"),
        Condition(IDEAL, {"d_model": 32, "steps": 400, "silent": 6}, "ideal"),
    ),
    runs=RUNS,
    first=200,
    metric=NEEDED,
    label="heads needed, of eight",
)
