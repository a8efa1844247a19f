"""Lab "What do trained heads do?", section 7: do heads that start alike stay alike?"""

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.multi_head_attention.side_by_side import RUNS
from evidence.claims.multi_head_attention.two_questions import places, right, trained

KINDS = ("query", "key", "value", "output")
DIFFERENCE, BOTH = "largest difference", "both right"
ALIKE = "all four alike"
FREE = tuple(f"all but {kind} alike" for kind in KINDS)


def measure(seed: int, copied: list[str], steps: int) -> Numbers:
    """Train two heads, head 1 a copy of head 0 in some matrices; how far do their weights part?"""
    task = places()
    model = trained(seed, "places", steps, 2, copied=tuple(copied))
    with torch.no_grad():
        tokens = model.embed(task.sentences)
        weights = model.weights(tokens, task.row)
        shares = right(model, model.heads(tokens, weights), task.answers).all(1).float().mean()
    difference = (weights[:, 0] - weights[:, 1]).abs().max().item()
    return {DIFFERENCE: difference, BOTH: shares.item()}


def decide(runs: Runs) -> Verdict:
    """True: alike in all four matrices, the weights of the two heads differ by less than 0.001 in
    every run; with any one matrix left free by more than 0.1 in every run. Half true where only the
    first holds.
    """
    largest = max(runs.values(ALIKE, DIFFERENCE))
    least = min(min(runs.values(name, DIFFERENCE)) for name in FREE)
    numbers = (
        f"The weights of two heads that are alike in all four matrices differ by at most "
        f"{largest:.1g} after training; with any one of the four left free they "
        f"differ by {least:.2g} or more, in every one of 10 runs each."
    )
    alike = largest < 1e-3
    return Verdict.of(numbers, true=alike and least > 0.1, half_true=alike, false=True)


CLAIM = Claim(
    name="heads.alike",
    lesson="labs/03_trained_heads",
    conditions=(
        Condition(ALIKE, {"copied": list(KINDS), "steps": 400}),
        *(
            Condition(name, {"copied": [k for k in KINDS if k != kind], "steps": 400}, "control")
            for name, kind in zip(FREE, KINDS, strict=True)
        ),
    ),
    runs=RUNS,
    first=200,
    metric=DIFFERENCE,
    label="largest difference between the weights of two heads",
)
