"""Lab of lesson 12: do other heads, off until they cost as much, break the same thing?"""

from itertools import product
from random import Random
from statistics import mean

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.inside.gender import ADJECTIVES, FEMININE, MASCULINE, SELF
from evidence.claims.inside.memory import genders, written
from evidence.claims.inside.translators import (
    ONE_MODEL,
    Head,
    Read,
    heads,
    kind_of,
    loss,
    read,
    shipped,
    switched_off,
)
from evidence.interval import interval

OWN, OTHERS = "the decoder's self-attention off", "others of equal damage off"
WRONG, LOSS = "adjective against its article", "loss"


def chosen(of: Read, seed: int, others: bool) -> list[Head]:
    """Return the decoder's self-attention's heads, or others, drawn until they cost as much."""

    def cost(off: list[Head]) -> float:
        with switched_off(of.model, off):
            return loss(of)

    own = [head for head in heads(of.model) if kind_of(head[0]) == SELF]
    if not others:
        return own
    rest, least = [head for head in heads(of.model) if head not in own], cost(own)
    Random(seed).shuffle(rest)
    sets = (rest[:count] for count in range(1, len(rest) + 1))
    return next(some for some in sets if cost(some) >= least)


def measure(seed: int, others: bool = False) -> Numbers:
    """Share of 50 texts whose adjective and article differ in gender, and the loss, heads off."""
    of = read(seed, "shipped")
    cases = Random(seed).sample(list(product(MASCULINE | FEMININE, ADJECTIVES)), 50)
    texts = [f"The {noun} is {adjective}." for noun, adjective in cases]
    ids = torch.tensor([shipped().source(text) for text in texts])
    with switched_off(of.model, chosen(of, seed, others)):
        french, cost = written(of.model, "shipped", ids, ids, []), loss(of)
    found = [genders(a, ADJECTIVES[b]) for a, (_, b) in zip(french, cases, strict=True)]
    return {WRONG: mean(len(both) > 1 for both in found), LOSS: cost}


def decide(runs: Runs) -> Verdict:
    """Heads outside the decoder's self-attention go in random order, until the loss is at least
    what it is without that attention. False if by the 95 % interval over ten runs, run by run, the
    adjective goes more than four times as often against the article that was written without that
    attention as without the others; true if not more often.
    """
    pairs = runs.pairs(OWN, OTHERS, WRONG)
    own, others = (interval(runs.values(name, WRONG)) for name in (OWN, OTHERS))
    four, more = (interval([a - times * b for a, b in pairs]) for times in (4, 1))
    losses = " and ".join(f"{runs.median(name, LOSS):.2f}" for name in (OWN, OTHERS))
    numbers = (
        f"Adjective against its article: {own:.0%} without the decoder's self-attention, "
        f"{others:.0%} without others; losses {losses}. {ONE_MODEL}"
    )
    return Verdict.of(numbers, false=four.low > 0, true=more.high <= 0)


CLAIM = Claim(
    name="inside.damage",
    lesson="labs/12_which_way",
    conditions=(Condition(OWN), Condition(OTHERS, {"others": True}, "control")),
    different=((OWN, OTHERS),),
    first=200,
    metric=WRONG,
    label="share of texts whose adjective goes against its article",
)
