"""Lesson 12: two heads that look up what followed a word before, and how they are connected."""

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.inside.lookup import layers_of, right, texts, trained, unembedded, untrained
from evidence.interval import interval
from transformer_lesson import seeded
from transformer_lesson.attention import causal_mask
from transformer_lesson.blocks import EncoderLayer
from transformer_lesson.models import DecoderOnly

RIGHT = "right"
BOTH, ONE_LAYER = "both heads", "one layer, four times as long"
FIRST_OFF, SECOND_OFF = "first head off", "second head off"
UNTRAINED = "untrained"
KEYS, QUERIES, VALUES = (f"not in the second's {name}" for name in ("keys", "queries", "values"))
GUESS = 0.25  # twice what one of a text's eight values, taken at random, gets


def logits_without(model: DecoderOnly, text: Tensor, off: str) -> Tensor:
    """Return the logits of two layers of attention alone, with one thing taken away.

    Args:
        model: from ``lookup.trained``.
        text: ids ``(rows, tokens)``.
        off: ``"first"`` or ``"second"`` for a head; ``"query"``, ``"key"`` or ``"value"`` for what
            the first has written, where the second's projection of that name reads it. What is
            taken away is replaced by its mean over all rows and tokens.
    """
    first, second = layers_of(model)
    mask, places = causal_mask(text.shape[1]), torch.arange(text.shape[1])

    def given(layer: EncoderLayer, *inputs: Tensor) -> tuple[Tensor, Tensor]:
        normed = (layer.self_attention_norm(x) for x in inputs)
        out = layer.self_attention(*normed, mask=mask, positions=places)[0]
        return out, out.mean((0, 1), keepdim=True)

    x = model.embedding(text)
    written, mean = given(first, x)
    whole, without = x + written, x + mean
    if off == "first":
        whole = without
    inputs = (without if name == off else whole for name in ("query", "key", "value"))
    read, mean = given(second, *inputs)
    return unembedded(model, whole + (mean if off == "second" else read))


def measure(seed: int, layers: int = 2, steps: int = 250, off: str = "") -> Numbers:
    """Share of right values, where the text has shown the pair before, in 256 new texts."""
    model = trained(seed, layers, steps) if steps else untrained(seed, layers)
    text, asked = texts(256, seeded(5000 + seed))
    with torch.no_grad():
        logits = model(text) if layers == 1 else logits_without(model, text, off)
    return {RIGHT: right(logits, text, asked)}


def decide(runs: Runs) -> Verdict:
    """True if in all 20 runs both heads are right in more than 0.95, and in fewer than 0.25 (twice
    a guess among the text's own values) where the first is off, where the second is off, in one
    layer trained four times as long, and without training. False if in half of the runs one layer,
    or one head, is right in more than 0.95.
    """
    alone = (FIRST_OFF, SECOND_OFF, ONE_LAYER, UNTRAINED)
    both = runs.values(BOTH, RIGHT)
    most = {name: max(runs.values(name, RIGHT)) for name in alone}
    solved = max(runs.count(lambda share: share > 0.95, name, RIGHT) for name in alone)
    numbers = (
        f"Right in {min(both):.0%} to {max(both):.0%} with both heads after 250 steps; at most "
        f"{most[FIRST_OFF]:.0%} without the first, {most[SECOND_OFF]:.0%} without the second, "
        f"{most[ONE_LAYER]:.0%} in one layer after 1,000 steps and {most[UNTRAINED]:.0%} untrained "
        "(one of the text's eight values at random: 12.5%)."
    )
    learned = min(both) > 0.95 and max(most.values()) < GUESS
    return Verdict.of(numbers, true=learned, false=solved >= len(both) / 2)


def decide_keys(runs: Runs) -> Verdict:
    """What the first head writes is replaced by its mean in one input of the second at a time. True
    if by 95 % intervals of the mean over 20 runs fewer than 0.25 are right where the keys lack it,
    and less than 0.05 is lost where the queries or the values lack it; false if 0.5 or more are
    still right without it in the keys.
    """
    keys = interval(runs.values(KEYS, RIGHT))
    lost_queries, lost_values = (
        interval([whole - part for whole, part in runs.pairs(BOTH, name, RIGHT)])
        for name in (QUERIES, VALUES)
    )
    numbers = (
        f"Without the first head in the second's keys {keys:.0%} are right; without it in the "
        f"queries {lost_queries:.1%} are lost, in the values {lost_values:.1%}."
    )
    small = max(lost_queries.high, lost_values.high) < 0.05
    return Verdict.of(numbers, true=keys.high < GUESS and small, false=keys.low >= 0.5)


CLAIM = Claim(
    name="inside.induction",
    lesson="12_inside",
    conditions=(
        Condition(BOTH),
        Condition(FIRST_OFF, {"off": "first"}, "control"),
        Condition(SECOND_OFF, {"off": "second"}, "control"),
        Condition(KEYS, {"off": "key"}, "control"),
        Condition(QUERIES, {"off": "query"}, "control"),
        Condition(VALUES, {"off": "value"}, "control"),
        Condition(ONE_LAYER, {"layers": 1, "steps": 1000}, "longer"),
        Condition(UNTRAINED, {"steps": 0}, "chance"),
    ),
    runs=20,
    metric=RIGHT,
    label="share of right values",
    shown=(BOTH, FIRST_OFF, SECOND_OFF, ONE_LAYER, UNTRAINED),
)
CLAIM_KEYS = CLAIM.also(
    name="inside.keys",
    lesson="labs/12_which_way",
    shown=(BOTH, KEYS, QUERIES, VALUES),
    different=((KEYS, QUERIES),),
)
