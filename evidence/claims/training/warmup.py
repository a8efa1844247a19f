"""The lab of lesson 07: does post-norm need a warm-up?"""

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.training.stacks import Stack, ending

LOSS = "loss at the end"
TRAINED = 1.5  # the frequencies of the words alone give 2.71, the floor is 0.45
HIGH, LOW = 1e-2, 3e-3
NONE, WARM = "post-norm, no warm-up", "post-norm, warm-up of 30"
LONGER, SLOWER = "post-norm, no warm-up, 180 steps", "post-norm, no warm-up, a third of the rate"
PRE = "pre-norm, no warm-up"


def measure(seed: int, norm: str, warmup: int, rate: float = HIGH, steps: int = 60) -> Numbers:
    """Loss of six layers at the end of a training without clipping."""
    return {LOSS: ending(Stack(6, True, norm, False, seed), rate, warmup, steps)}


def _trained(runs: Runs, condition: str) -> int:
    return runs.count(lambda loss: loss < TRAINED, condition, LOSS)


def decide(runs: Runs) -> Verdict:
    """A stack has trained if its loss ends under 1.5 (the frequencies of the words alone give
    2.71). True if at most a quarter of the post-norm stacks trains without a warm-up, even in three
    times the steps, at least nine in ten with it, and nine in ten pre-norm stacks without it; true
    here, at this rate, if a third of the rate does as well as a warm-up. False if nine in ten train
    without.
    """
    trained = {name: _trained(runs, name) for name in (NONE, WARM, LONGER, SLOWER, PRE)}
    numbers = (
        f"At the higher rate {trained[NONE]} of 20 post-norm stacks train without a warm-up in 60 "
        f"steps and {trained[LONGER]} in 180; with a warm-up of 30 {trained[WARM]} do, and at a "
        f"third of the rate without one {trained[SLOWER]}. Pre-norm trains without in "
        f"{trained[PRE]}."
    )
    needed = trained[NONE] <= 5 and trained[LONGER] <= 5
    if needed and trained[WARM] >= 18 and trained[PRE] >= 18:
        return Verdict("true here" if trained[SLOWER] >= 18 else "true", numbers)
    return Verdict("false" if trained[NONE] >= 18 else "not decided", numbers)


CLAIM = Claim(
    name="training.warmup",
    lesson="labs/07_what_trains",
    conditions=(
        Condition(NONE, {"norm": "post", "warmup": 0}),
        Condition(WARM, {"norm": "post", "warmup": 30}, "control"),
        Condition(LONGER, {"norm": "post", "warmup": 0, "steps": 180}, "longer"),
        Condition(SLOWER, {"norm": "post", "warmup": 0, "rate": LOW}, "control"),
        Condition(PRE, {"norm": "pre", "warmup": 0}, "control"),
    ),
    runs=20,
    first=200,
    metric=LOSS,
    label="nats per token, mean of the last ten steps",
)
