"""Lab 02, section 3: has a word whose weight is zero any say in what its row becomes?"""

from functools import cache

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.self_attention.sentences import GAP, OneLayer, all_sentences, train
from transformer_lesson.attention import reference_attention

PREFERRED = "share of words preferred to the other one that fits"
WITHOUT, ALL, UNTRAINED = "without its own weight", "all weights", "untrained"
HIDDEN, PLACE_ASKS = "without, its query hidden", "without, the place asks"
STEPS = 400
trained = cache(train)  # most conditions look at one and the same layer


def measure(
    seed: int, removed: bool, hidden: bool = False, place_asks: bool = False, steps: int = STEPS
) -> Numbers:
    """How often an action or a place gets a larger logit than the other one of its actor.

    ``removed`` takes a word's own weight away, ``hidden`` makes each row's query of a gap instead
    of the word, and with ``place_asks`` the layer is trained with queries that never hold a word.
    """
    model = trained("repeat", seed, steps, place_asks)
    sentences = all_sentences()
    asking = torch.full_like(sentences, GAP) if hidden else sentences
    with torch.no_grad():
        logits = _logits(model, sentences, asking, removed)[:, [2, 5]]
    words = sentences[:, [2, 5]]
    others = torch.where((words - 4) % 5 % 2 == 1, words + 1, words - 1)  # 1 and 2, 3 and 4
    lead = logits.gather(-1, words[..., None]) - logits.gather(-1, others[..., None])
    return {PREFERRED: (lead > 0).float().mean().item()}


def _logits(model: OneLayer, sentences: Tensor, asking: Tensor, removed: bool) -> Tensor:
    """What comes out if the words ``asking`` make the queries, and ``sentences`` all the rest."""
    key, value = model.key(model.embed(sentences)), model.value(model.embed(sentences))
    mask = ~torch.eye(6, dtype=torch.bool) if removed else None  # the others still sum to one
    mixed, _ = reference_attention(model.ask(asking), key, value, mask)
    logits: Tensor = model.output(mixed)
    return logits


def decide(runs: Runs) -> Verdict:
    """A layer that knows only the other words prefers the right one half of the time. The claim is
    false if without the word's own weight the layer does so more often than the best of 20
    untrained layers in at least 15 of 20 runs, and in no run where the query does not hold the
    word; true if no run does. Written after twenty runs with other seeds.
    """
    chance = max(runs.values(UNTRAINED, PREFERRED))
    above, control, hidden = (
        runs.count(lambda value: value > chance, name, PREFERRED)
        for name in (WITHOUT, PLACE_ASKS, HIDDEN)
    )
    numbers = (
        "A layer that does not know the word prefers the right one of two half of the time. "
        "Without the word's own weight it still preferred it in "
        f"{runs.median(WITHOUT, PREFERRED):.0%} of all cases (median), and in {above} of 20 runs "
        f"more often than any untrained layer ({chance:.0%}). Where the query did not hold the "
        f"word, in {max(control, hidden)}."
    )
    return Verdict.of(numbers, false=above >= 15 and control == hidden == 0, true=above == 0)


CLAIM = Claim(
    name="attention.zero_weight",
    lesson="labs/02_trained_attention",
    conditions=(
        Condition(WITHOUT, {"removed": True}),
        Condition(HIDDEN, {"removed": True, "hidden": True}, "control"),
        Condition(PLACE_ASKS, {"removed": True, "place_asks": True}, "control"),
        Condition(ALL, {"removed": False}, "ideal"),
        Condition(UNTRAINED, {"removed": True, "steps": 0}, "chance"),
    ),
    runs=20,
    first=200,
    metric=PREFERRED,
    label=PREFERRED,
)
