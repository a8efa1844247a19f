"""The lab of lesson 07: what do eight layers need to train?"""

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.training.stacks import Stack, ending

LOSS = "loss at the end"
TRAINED = 1.5  # the frequencies of the words alone give 2.71, the floor is 0.45
BOTH, SCALED = "both, pre-norm", "no norms, branches / √(2L)"
NO_NORMS = "no norms, 120 steps at a lower rate"
NO_RESIDUALS = "no residuals, 240 steps at a lower rate"


def measure(
    seed: int, residual: bool, norm: str, scaled: bool = False, rate: float = 3e-3, steps: int = 40
) -> Numbers:
    """Loss of eight layers at the end of a training with a warm-up of 10, without clipping."""
    return {LOSS: ending(Stack(8, residual, norm, scaled, seed), rate, 10, steps)}


def _trained(runs: Runs, condition: str) -> int:
    return runs.count(lambda loss: loss < TRAINED, condition, LOSS)


def decide(runs: Runs) -> Verdict:
    """A stack has trained if its loss ends under 1.5 (the frequencies of the words alone give
    2.71). Residuals are needed if at most one run in ten trains without them in six times the steps
    at a third of the rate, norms if at most one does so without them, whatever the beginning. Half
    true if only one of the two is needed.
    """
    both, scaled = _trained(runs, BOTH), _trained(runs, SCALED)
    without_norms, without_residuals = _trained(runs, NO_NORMS), _trained(runs, NO_RESIDUALS)
    numbers = (
        f"Of 10 stacks of eight layers {both} train with residuals and norms in 40 steps. At a "
        f"third of the rate {without_residuals} train without residuals in 240 steps, and "
        f"{without_norms} without norms in 120. With residual branches that begin 1/√(2L) as "
        f"large, {scaled} train without any norm, in 40."
    )
    if both < 9:
        return Verdict("not decided", numbers)
    needed = (without_residuals <= 1, max(without_norms, scaled) <= 1)
    return Verdict.of(numbers, true=all(needed), half_true=any(needed), false=True)


CLAIM = Claim(
    name="training.depth",
    lesson="labs/07_what_trains",
    conditions=(
        Condition(BOTH, {"residual": True, "norm": "pre"}),
        Condition(SCALED, {"residual": True, "norm": "none", "scaled": True}, "control"),
        Condition(
            NO_NORMS, {"residual": True, "norm": "none", "rate": 1e-3, "steps": 120}, "longer"
        ),
        Condition(
            NO_RESIDUALS, {"residual": False, "norm": "post", "rate": 1e-3, "steps": 240}, "longer"
        ),
    ),
    first=200,
    metric=LOSS,
    label="nats per token, mean of the last ten steps",
    logarithmic=True,
)
