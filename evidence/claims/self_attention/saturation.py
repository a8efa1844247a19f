"""Lesson 02, section 8: what is left of the gradient where scores are not divided by √d_head?"""

import math

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded

ROWS, KEYS = 500, 10
QUERIES, SCORES = "median at the queries", "median at the scores"
WIDE, NARROW = "width 1024, not divided", "width 4, not divided"
DIVIDED = "width 1024, divided by 32"
SUM_WIDE, SUM_DIVIDED = "not divided, a sum of all weights", "divided, a sum of all weights"


def measure(seed: int, width: int, divisor: float, of_all: bool = False) -> Numbers:
    """Gradient of the first weight of each row, at its scores and at its query.

    With ``of_all`` it is that of a random sum of all weights, as a loss makes one.
    """
    generator = seeded(seed)
    query, key = torch.randn(2, ROWS, KEYS, width, generator=generator)
    query = query[:, :1].requires_grad_()  # one query for each row of keys
    scores = query @ key.mT / divisor
    scores.retain_grad()
    weights = scores.softmax(-1)
    if of_all:
        weights.backward(torch.randn(weights.shape, generator=generator))
    else:
        weights[..., 0].sum().backward()
    assert scores.grad is not None and query.grad is not None
    at_scores, at_queries = scores.grad.norm(dim=-1), query.grad.norm(dim=-1)
    return {
        SCORES: at_scores.median().item(),
        "mean at the scores": at_scores.mean().item(),
        QUERIES: at_queries.median().item(),
        "mean at the queries": at_queries.mean().item(),
    }


def decide(runs: Runs) -> Verdict:
    gone = runs.count(lambda value: value < 1e-3, WIDE, QUERIES)
    kept = runs.count(lambda value: value > 1e-2, DIVIDED, QUERIES)
    gone += runs.count(lambda value: value < 1e-2, SUM_WIDE, QUERIES)
    kept += runs.count(lambda value: value > 1e-1, SUM_DIVIDED, QUERIES)
    mean = runs.median(WIDE, "mean at the queries") / runs.median(DIVIDED, "mean at the queries")
    numbers = (
        f"At width 1024 the gradient of a typical query is {runs.median(WIDE, QUERIES):.1g} "
        f"without the division and {runs.median(DIVIDED, QUERIES):.2g} with it, if it is that of "
        f"one weight, and {runs.median(SUM_WIDE, QUERIES):.1g} and "
        f"{runs.median(SUM_DIVIDED, QUERIES):.2g} if it is that of a sum of all. The mean over all "
        f"queries is {mean:.1f} times as large without: the few rows in which two keys tie make up "
        "for the rest."
    )
    if gone == kept == 40:
        return Verdict("half true" if mean > 0.5 else "true", numbers)
    return Verdict("not decided", numbers)


CLAIM = Claim(
    name="attention.saturation",
    lesson="02_self_attention",
    says="Without the division by √d_head the softmax saturates, and its gradients are tiny.",
    title="Without division a typical query's gradient dies with the width",
    source="Vaswani et al. 2017, section 3.2.1",
    measure=measure,
    conditions=(
        Condition(WIDE, {"width": 1024, "divisor": 1.0}),
        Condition(DIVIDED, {"width": 1024, "divisor": math.sqrt(1024)}, "control"),
        Condition(SUM_WIDE, {"width": 1024, "divisor": 1.0, "of_all": True}, "control"),
        Condition(
            SUM_DIVIDED, {"width": 1024, "divisor": math.sqrt(1024), "of_all": True}, "control"
        ),
        Condition(NARROW, {"width": 4, "divisor": 1.0}, "control"),
    ),
    runs=20,
    metric=QUERIES,
    label="median length of a query's gradient",
    criterion=(
        "In all 20 runs the gradient of a typical (median) query is below 0.001 without the "
        "division and above 0.01 with it. For a random sum of all weights in place of one, the "
        "bounds are 0.01 and 0.1. Where the mean does not fall with the median, it is half "
        "true."
    ),
    revised=(
        "The sums were added later, after five runs with other seeds (0.00003 to 0.0002 without "
        "the division, 0.3 with it): the first weight is mostly one of the smallest, and its "
        "gradient much smaller than that of a sum."
    ),
    decide=decide,
    logarithmic=True,
)
