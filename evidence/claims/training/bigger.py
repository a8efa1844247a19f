"""The lab of lesson 07: is a larger model better, for the same number of operations?"""

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.training.language import decoder, stories
from evidence.interval import interval
from transformer_lesson import seeded
from transformer_lesson.training import TrainingConfig, next_token, train

LOSS = "best of the rates"
ROWS, TOKENS = 16, 17
BUDGET = 5e9
SMALL, MIDDLE, LARGE = "width 32", "width 64", "width 128"
LARGE_LONGER = "width 128, ten times the budget"


def measure(seed: int, width: int, budget: float, rates: list[float]) -> Numbers:
    """Loss on all stories of a decoder that may spend ``budget`` operations, for each rate."""
    losses = {f"rate {rate}": _loss(seed, width, budget, rate) for rate in rates}
    return {LOSS: min(losses.values()), "worst of the rates": max(losses.values()), **losses}


def _loss(seed: int, width: int, budget: float, rate: float) -> float:
    told, model = stories(0), decoder(seed, width)
    weights = sum(p.numel() for p in model.parameters())
    steps = int(budget / (6 * weights * ROWS * TOKENS))

    def batches(number: int) -> Tensor:
        drawn = torch.randint(len(told), (ROWS,), generator=seeded(number + 10_000 * seed))
        return told[drawn]

    config = TrainingConfig(
        steps=steps, learning_rate=rate, warmup_steps=steps // 10, schedule="cosine"
    )
    train(model, next_token(), batches, config, progress=False)
    with torch.no_grad():
        loss, count = next_token()(model, told)
    return loss.item() / count


def decide(runs: Runs) -> Verdict:
    """The budget pays for seven steps of the largest width, too few for any learning rate: true if
    by the 95 % interval of the mean over ten runs it ends below the smallest nonetheless, each at
    the best of three rates; otherwise nothing is decided. A budget that pays for a hundred steps of
    each would decide.
    """
    lead = interval([large - small for small, large in runs.pairs(SMALL, LARGE, LOSS)])
    numbers = (
        f"For the same operations width 32 ends {lead:.2f} nats below width 128, which can pay for "
        f"seven steps. With ten times the operations width 128 comes to "
        f"{runs.median(LARGE_LONGER, LOSS):.2f} (width 32 with one: "
        f"{runs.median(SMALL, LOSS):.2f}); the floor is 0.36."
    )
    return Verdict.of(numbers, true=lead.high < 0)


CLAIM = Claim(
    name="training.bigger",
    lesson="labs/07_what_trains",
    conditions=(
        Condition(SMALL, {"width": 32, "budget": BUDGET, "rates": [3e-3, 1e-2, 3e-2]}),
        Condition(MIDDLE, {"width": 64, "budget": BUDGET, "rates": [3e-3, 1e-2, 3e-2]}),
        Condition(LARGE, {"width": 128, "budget": BUDGET, "rates": [3e-3, 1e-2, 3e-2]}),
        Condition(LARGE_LONGER, {"width": 128, "budget": 10 * BUDGET, "rates": [1e-2]}, "longer"),
    ),
    first=5000,
    metric=LOSS,
    label="nats per token at the best of three rates",
    along="width",
    axis="width of the model",
)
