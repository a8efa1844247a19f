"""The lab of lesson 07: dropout and label smoothing: what do they do on text that was not seen?"""

import math

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.training.language import decoder, stories
from transformer_lesson import seeded
from transformer_lesson.training import TrainingConfig, next_token, train

PERPLEXITY, RIGHT = "perplexity on unseen stories", "last words right"
NEITHER, DROPOUT, BOTH = "neither", "dropout 0.1", "dropout and smoothing 0.1"


def measure(seed: int, dropout: float, smoothing: float) -> Numbers:
    """Train on 32 stories; measure the plain loss, without smoothing, on 200 others."""
    told = stories(seed)
    seen, unseen = told[:32], told[200:400]
    model = decoder(seed, 48, dropout)

    def batches(number: int) -> Tensor:
        return seen[torch.randperm(32, generator=seeded(number + 10_000 * seed))[:16]]

    config = TrainingConfig(steps=200, learning_rate=5e-3, warmup_steps=20, schedule="cosine")
    train(model, next_token(label_smoothing=smoothing), batches, config, progress=False)
    with torch.no_grad():
        loss, count = next_token()(model, unseen)
        right = model(unseen[:, :-2])[:, -1].argmax(-1) == unseen[:, -2]
        seen_loss, seen_count = next_token()(model, seen)
    return {
        PERPLEXITY: math.exp(loss.item() / count),
        "perplexity on seen stories": math.exp(seen_loss.item() / seen_count),
        RIGHT: right.float().mean().item(),
    }


def decide(runs: Runs) -> Verdict:
    """Story sets and beginnings are paired. True if the perplexity is higher with smoothing in at
    least nine of ten runs, false if in at most one.
    """
    hurts = sum(smoothed > plain for plain, smoothed in runs.pairs(DROPOUT, BOTH, PERPLEXITY))
    dropout = sum(a > b for a, b in runs.pairs(NEITHER, DROPOUT, PERPLEXITY))
    numbers = (
        f"Smoothing raises the perplexity on unseen stories in {hurts} of 10 runs, from a median "
        f"of {runs.median(DROPOUT, PERPLEXITY):.2f} to {runs.median(BOTH, PERPLEXITY):.2f}. "
        f"Dropout alone lowers it in {dropout}, from {runs.median(NEITHER, PERPLEXITY):.2f}."
    )
    return Verdict("true" if hurts >= 9 else "false" if hurts <= 1 else "not decided", numbers)


CLAIM = Claim(
    name="training.smoothing",
    lesson="labs/07_what_trains",
    conditions=(
        Condition(BOTH, {"dropout": 0.1, "smoothing": 0.1}),
        Condition(DROPOUT, {"dropout": 0.1, "smoothing": 0.0}, "control"),
        Condition(NEITHER, {"dropout": 0.0, "smoothing": 0.0}, "control"),
    ),
    metric=PERPLEXITY,
    label="perplexity on unseen stories",
)


def decide_accuracy(runs: Runs) -> Verdict:
    """Story sets and beginnings are paired. True if more last words are right with smoothing in at
    least nine of ten runs, false if in at most one.
    """
    answers = runs.pairs(DROPOUT, BOTH, RIGHT)
    better = sum(smoothed > plain for plain, smoothed in answers)
    worse = sum(smoothed < plain for plain, smoothed in answers)
    numbers = (
        f"With smoothing last words are more often right in {better} runs and less often in "
        f"{worse}. More stories to answer, or more runs, would decide it."
    )
    return Verdict("true" if better >= 9 else "false" if better <= 1 else "not decided", numbers)


CLAIM_ACCURACY = CLAIM.also(
    name="training.smoothing_accuracy", metric=RIGHT, label="share of last words that are right"
)
