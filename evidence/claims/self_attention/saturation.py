"""Lesson 02, section 8: what is left of the gradient where scores are not divided by √d_head?"""

import math

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded

ROWS, KEYS, WIDTHS = 500, 10, (4, 16, 64, 256, 1024)
QUERIES, MEAN = "median at width 1024", "mean at width 1024"
WIDE, DIVIDED = "not divided", "divided"
SUM_WIDE, SUM_DIVIDED = "not divided, random weighted sum", "divided, random weighted sum"


def measure(seed: int, divided: bool, of_all: bool = False) -> Numbers:
    """Length of the gradient at each query, of the first weight of its row.

    With ``of_all`` it is that of a random weighted sum of all weights, as a loss makes one: their
    plain sum is 1 whatever the scores are, and has no gradient.
    """
    numbers = {}
    for width in WIDTHS:
        generator = seeded(seed)
        query, key = torch.randn(2, ROWS, KEYS, width, generator=generator)
        query = query[:, :1].requires_grad_()  # one query for each row of keys
        weights = (query @ key.mT / (math.sqrt(width) if divided else 1)).softmax(-1)
        if of_all:
            weights.backward(torch.randn(weights.shape, generator=generator))
        else:
            weights[..., 0].sum().backward()
        assert query.grad is not None
        lengths = query.grad.norm(dim=-1)
        numbers[f"median at width {width}"] = lengths.median().item()
        numbers[f"mean at width {width}"] = lengths.mean().item()
    return numbers


def decide(runs: Runs) -> Verdict:
    """At width 1024, in all 20 runs the gradient of a typical (median) query is below 0.001 without
    the division and above 0.01 with it. For a random weighted sum in place of one, the bounds are
    0.01 and 0.1.
    """
    gone = runs.count(lambda value: value < 1e-3, WIDE, QUERIES)
    kept = runs.count(lambda value: value > 1e-2, DIVIDED, QUERIES)
    gone += runs.count(lambda value: value < 1e-2, SUM_WIDE, QUERIES)
    kept += runs.count(lambda value: value > 1e-1, SUM_DIVIDED, QUERIES)
    mean = runs.median(WIDE, MEAN) / runs.median(DIVIDED, MEAN)
    numbers = (
        f"At width 1024 a random sum of the weights gives a typical query a gradient of "
        f"{runs.median(SUM_WIDE, QUERIES):.1g} without the division and of "
        f"{runs.median(SUM_DIVIDED, QUERIES):.2g} with it. The mean over all queries is not tiny: "
        f"for one weight it is {mean:.1f} times as large without, by a few rows in which two keys "
        "tie."
    )
    return Verdict("true" if gone == kept == 40 else "not decided", numbers)


CLAIM = Claim(
    name="attention.saturation",
    lesson="02_self_attention",
    conditions=(
        Condition(WIDE, {"divided": False}),
        Condition(DIVIDED, {"divided": True}, "control"),
        Condition(SUM_WIDE, {"divided": False, "of_all": True}),
        Condition(SUM_DIVIDED, {"divided": True, "of_all": True}, "control"),
    ),
    runs=20,
    first=200,
    metric=QUERIES,
    label="median length of a query's gradient at width 1024",
    along={width: f"median at width {width}" for width in WIDTHS},
    axis="width of queries and keys",
    height="median length of a query's gradient",
    logarithmic=True,
)
