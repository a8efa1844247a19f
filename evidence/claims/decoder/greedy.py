"""Lesson 06, section 14: does the best word at each step lead to the best text?"""

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.decoder.french import (
    APART,
    END,
    HELD_OUT,
    START,
    VERBS,
    decode,
    encode,
    log_probability,
    trained,
    translations,
)
from transformer_lesson.decoding import greedy

SLEPT, OTHERS = "missed, of sentences with slept", "missed, of all other sentences"
SHARED, APART_ALL = "three translations share a first word", "none share a first word"


def measure(seed: int, apart: bool) -> Numbers:
    """How often a right text is more probable than the one that greedy writes."""
    model, verbs = trained(seed, apart=apart), APART if apart else VERBS
    start = torch.full((len(HELD_OUT), 1), START)
    rows = greedy(model, start, source=encode(HELD_OUT), max_tokens=14, end_id=END)
    missed: dict[str, list[bool]] = {SLEPT: [], OTHERS: []}
    for english, row in zip(HELD_OUT, rows, strict=True):
        written, *ways = [decode(row), *sorted(set(translations(english, verbs)))]
        ours = log_probability(model, english, written)
        best = max(log_probability(model, english, way) for way in ways)
        missed[SLEPT if "slept" in english else OTHERS].append(best > ours + 1e-4)
    return {kind: sum(many) / len(many) for kind, many in missed.items()}


def decide(runs: Runs) -> Verdict:
    """False: in the median run, or in more than 10 % of the sentences of every run, one of the
    right translations is more probable to the model than the greedy text. True: in less than 1 % of
    the sentences of every run.
    """
    shared, apart = runs.values(SHARED, SLEPT), runs.values(APART_ALL, SLEPT)
    numbers = (
        f"Greedy misses a more probable text in {_spread(shared)} of the sentences with *slept* "
        f"(median {runs.median(SHARED, SLEPT):.0%}), in {_spread(runs.values(SHARED, OTHERS))} of "
        f"the others, and in {_spread(apart)} where no two translations begin with the same word."
    )
    if runs.count(lambda share: share > 0.1, SHARED, SLEPT) == len(shared):
        return Verdict("false", numbers)
    if max(shared) < 0.01:
        return Verdict("true", numbers)
    return Verdict("true here" if runs.median(SHARED, SLEPT) < 0.01 else "false", numbers)


def _spread(shares: list[float]) -> str:
    """Say the smallest to the largest of some shares."""
    if not any(shares):
        return "none"
    return f"{min(shares):.0%} to {max(shares):.0%}"


CLAIM = Claim(
    name="greedy.best_text",
    lesson="06_decoder",
    conditions=(
        Condition(SHARED, {"apart": False}),
        Condition(APART_ALL, {"apart": True}, "control"),
    ),
    metric=SLEPT,
    label="share of slept sentences in which greedy misses a more probable text",
)
