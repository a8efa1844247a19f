"""Lab 08, section 7: can a causal model fill a gap?"""

import math

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.bert_and_gpt.stories import (
    GAPS,
    SEP,
    Model,
    bert,
    gpt,
    guesses,
    unseen_ids,
    vocabulary,
)

ROWS = 40
LEFT, WHOLE, BERT = "GPT, the left side alone", "GPT, whole stories compared", "BERT"


@torch.no_grad()
def by_whole_text(model: Model, row: Tensor, place: int) -> Tensor:
    """Return the word whose whole story is likeliest under a causal model: a text for each."""
    texts = row.repeat(len(vocabulary), 1)
    texts[:, place] = torch.arange(len(vocabulary))
    logp = model(texts[:, :-1]).log_softmax(-1)
    scores = logp.gather(-1, texts[:, 1:, None]).sum((1, 2))
    scores[: SEP + 1] = -math.inf
    return scores.argmax()


def measure(seed: int, who: str) -> Numbers:
    """Share of actors, places and things that are filled in rightly."""
    if who == "untrained":
        model = Model(causal=True, seed=seed)
    else:
        model = bert(seed) if who == "bert" else gpt(seed)
    rows, found = unseen_ids[:ROWS], {}
    for gap in ("actor", "place", "thing"):
        place = GAPS[gap]
        if who in ("bert", "left"):
            said = guesses(model, place, rows).argmax(-1)
        else:
            said = torch.stack([by_whole_text(model, row, place) for row in rows])
        found[gap] = (said == rows[:, place]).float().mean().item()
    return found


def decide(runs: Runs) -> Verdict:
    """GPT, guessing from the left side, names at most half of the things in all runs but one. False
    where by comparing whole stories it is at most 0.05 below BERT in all runs but one, true where
    it is so in at most one.
    """
    pairs = runs.pairs(WHOLE, BERT, "thing")
    equal = sum(own >= other - 0.05 for own, other in pairs)
    most = len(pairs) - 1
    blind = runs.count(lambda share: share <= 0.5, LEFT, "thing")
    numbers = (
        f"From the left side GPT names {runs.median(LEFT, 'thing'):.0%} of the things (a third can "
        f"be guessed), by comparing whole stories {runs.median(WHOLE, 'thing'):.0%}, BERT "
        f"{runs.median(BERT, 'thing'):.0%}; it is at most 0.05 below BERT in {equal} of "
        f"{len(pairs)} runs."
    )
    if blind >= most and equal >= most:
        return Verdict("false", numbers)
    return Verdict("true" if blind >= most and equal <= 1 else "not decided", numbers)


CLAIM = Claim(
    name="gpt.gaps",
    lesson="labs/08_objectives",
    conditions=(
        Condition(LEFT, {"who": "left"}),
        Condition(WHOLE, {"who": "whole"}),
        Condition(BERT, {"who": "bert"}, "ideal"),
        Condition("untrained", {"who": "untrained"}, "chance"),
    ),
    first=200,
    metric="thing",
    label="share of things filled in rightly",
)
