"""Lab "What do trained heads do?", section 2: can one row of weights answer two questions?"""

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.multi_head_attention.side_by_side import RUNS
from evidence.claims.multi_head_attention.two_questions import OneLayer, places, right, trained

BOTH, UNSEEN = "both right", "both right, unseen pairs"
ONE, LONGER, BLIND = "one head", "one head, three times longer", "one head, weights blind to words"
TWO = "two heads"


def measure(seed: int, heads: int, steps: int, blind: bool) -> Numbers:
    """Train one model on 200 pairs of nouns; share of sentences with both answers right."""
    task = places()
    model = trained(seed, "places", steps, heads, blind=blind)
    with torch.no_grad():
        return {
            BOTH: _both(model, task.sentences, task.answers, task.row),
            UNSEEN: _both(model, *task.unseen, task.row),
        }


def _both(model: OneLayer, sentences: Tensor, answers: Tensor, row: int) -> float:
    tokens = model.embed(sentences)
    heads = model.heads(tokens, model.weights(tokens, row))
    return right(model, heads, answers).all(1).float().mean().item()


def decide(runs: Runs) -> Verdict:
    """Two heads answer over 95 % of the sentences in at least eight of 10 runs. True: one head
    answers fewer than half in every run, even after three times as many steps. False: it then
    answers over 95 % in at least nine runs, on unseen pairs too. Otherwise half true.
    """
    one, longer, two = (runs.median(name, BOTH) for name in (ONE, LONGER, TWO))
    unseen, blind = runs.median(LONGER, UNSEEN), runs.median(BLIND, BOTH)
    numbers = (
        f"Both answers are right for {one:.0%} of the sentences with one head, for {longer:.0%} "
        f"after three times as many steps ({unseen:.0%} on pairs of nouns that it never saw), and "
        f"for {two:.0%} with two heads (medians). Where the weights cannot depend on the words, "
        f"one head gets {blind:.0%} right."
    )
    if runs.count(lambda value: value > 0.95, TWO, BOTH) < 8:
        return Verdict("not decided", numbers)
    if runs.count(lambda value: value < 0.5, LONGER, BOTH) == 10:
        return Verdict("true", numbers)
    able = min(runs.count(lambda value: value > 0.95, LONGER, m) for m in (BOTH, UNSEEN))
    return Verdict("false" if able >= 9 else "half true", numbers)


CLAIM = Claim(
    name="heads.one_row",
    lesson="labs/03_trained_heads",
    conditions=(
        Condition(ONE, {"heads": 1, "steps": 400, "blind": False}),
        Condition(LONGER, {"heads": 1, "steps": 1200, "blind": False}, "longer"),
        Condition(BLIND, {"heads": 1, "steps": 400, "blind": True}, "control"),
        Condition(TWO, {"heads": 2, "steps": 400, "blind": False}, "control"),
        Condition("untrained", {"heads": 1, "steps": 0, "blind": False}, "chance"),
    ),
    runs=RUNS,
    first=200,
    metric=BOTH,
    label="share of sentences with both answers right",
)
