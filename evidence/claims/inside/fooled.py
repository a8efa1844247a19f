"""Lesson 12: a score of induction that a fixed step back earns as well."""

from functools import cache

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.inside.lookup import IDS, ROWS, right, train, untrained
from evidence.interval import interval
from transformer_lesson import seeded
from transformer_lesson.models import DecoderOnly, recorded_weights

TOKENS, STEPS = 48, 300
LENGTHS = range(7, 19)
ONE, SEVERAL = (12,), (8, 10, 12, 14, 16, 18)
UNSEEN = (11, 13, 15, 17)  # and no multiple of one is trained on, which a text of it also repeats
SCORE, KNOWN, OTHERS = (
    "induction score at length 12",
    "right at length 12",
    "right at unseen lengths",
)
FOOLED, LOOKS_UP = "one layer, length 12 alone", "two layers, several lengths"
TWO_ONE, ONE_SEVERAL = "two layers, length 12 alone", "one layer, several lengths"
UNTRAINED = "one layer, untrained"


def repeated(number: int, length: int, drawing: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw texts that repeat ``length`` random tokens; ask for all but the first time.

    Returns:
        Ids ``(number, TOKENS)``, and at which the next is asked for.
    """
    block = torch.randint(IDS, (number, length), generator=drawing)
    text = block.repeat(1, TOKENS // length + 1)[:, :TOKENS]
    return text, (torch.arange(TOKENS) >= length).expand(number, -1)


@cache
def trained(seed: int, layers: int, lengths: tuple[int, ...], steps: int) -> DecoderOnly:
    """Return a decoder of attention alone after texts whose lengths are drawn from these."""
    drawing = seeded(1000 + seed)
    which = torch.randint(len(lengths), (steps,), generator=drawing).tolist()
    return train(untrained(seed, layers), (repeated(ROWS, lengths[n], drawing) for n in which))


def measure(seed: int, layers: int, lengths: tuple[int, ...], steps: int = STEPS) -> Numbers:
    """Share right at each length; the last head's weight at what followed a block before."""
    model, numbers = trained(seed, layers, tuple(lengths), steps), {}
    for length in LENGTHS:
        text, asked = repeated(64, length, seeded(5000 + seed))
        with torch.no_grad(), recorded_weights(model) as recorded:
            numbers[f"right at length {length}"] = right(model(text), text, asked)
        if length == 12:
            weights = list(recorded.values())[-1][:, 0]
            at = torch.arange(length, TOKENS)
            numbers[SCORE] = weights[:, at, at - length + 1].mean().item()
    others = [numbers[f"right at length {n}"] for n in UNSEEN]
    return numbers | {OTHERS: sum(others) / len(others)}


def decide(runs: Runs) -> Verdict:
    """The claim is that a high induction score shows a head that looks up what followed before. By
    95 % intervals of the mean over ten runs, false if one layer, trained on blocks of 12 tokens
    alone, has a score above 0.9 and is right in more than 0.9 at that length, and in fewer than 0.1
    at lengths 11, 13, 15 and 17, which no condition is trained on, while two layers, trained on
    several lengths, are right there in more than 0.8. True if it is right there in 0.5 or more.
    """
    score, known, others = (interval(runs.values(FOOLED, m)) for m in (SCORE, KNOWN, OTHERS))
    ideal, deep = (interval(runs.values(name, OTHERS)) for name in (LOOKS_UP, TWO_ONE))
    numbers = (
        f"One layer, trained on blocks of 12 tokens alone, has a score of {score:.2f} and is right "
        f"in {known.middle:.1%} there; at lengths 11, 13, 15 and 17 in {others:.1%}. Two layers, "
        f"trained on several other lengths, are right there in {ideal:.0%}; two layers trained on "
        f"12 alone in {deep.middle:.1%}."
    )
    earned = score.low > 0.9 and known.low > 0.9
    fooled = earned and others.high < 0.1 and ideal.low > 0.8
    return Verdict.of(numbers, false=fooled, true=earned and others.low >= 0.5)


CLAIM = Claim(
    name="inside.fooled",
    lesson="12_inside",
    conditions=(
        Condition(FOOLED, {"layers": 1, "lengths": ONE}),
        Condition(LOOKS_UP, {"layers": 2, "lengths": SEVERAL}, "ideal"),
        Condition(TWO_ONE, {"layers": 2, "lengths": ONE}, "control"),
        Condition(ONE_SEVERAL, {"layers": 1, "lengths": SEVERAL}, "control"),
        Condition(UNTRAINED, {"layers": 1, "lengths": ONE, "steps": 0}, "chance"),
    ),
    metric=OTHERS,
    label="share right at lengths 11, 13, 15 and 17",
    along={length: f"right at length {length}" for length in LENGTHS},
    axis="length of the block that repeats, in tokens",
    height="share right",
    shown=(FOOLED, LOOKS_UP, ONE_SEVERAL),
)
