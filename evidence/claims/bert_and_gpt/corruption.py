"""Lab 08: what do the replaced and the unchanged words of BERT's recipe do?"""

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.bert_and_gpt.stories import GAPS, MASK, VERBS, Model, bert, unseen_ids
from evidence.interval import interval

HIDDEN, SHOWN, CORRECTED = "verb hidden", "verb stands there", "a wrong verb put right"
USUAL, MASKS = "80/10/10", "100/0/0, masks alone"
REPLACED, UNCHANGED = "80/20/0, none unchanged", "80/0/20, none replaced"
PLACE = GAPS["verb"]


@torch.no_grad()
def said(model: Model, shown: Tensor | int) -> float:
    """Share of right verbs at the verb's place, where ``shown`` stands there."""
    tokens = unseen_ids.clone()
    tokens[:, PLACE] = shown
    return (model(tokens)[:, PLACE].argmax(-1) == unseen_ids[:, PLACE]).float().mean().item()


def measure(seed: int, masked: float, replaced: float) -> Numbers:
    """What a model says at the verb's place: hidden, shown, and with a wrong verb there."""
    model = bert(seed, masked=masked, replaced=replaced)
    verbs = unseen_ids[:, PLACE]
    wrong = VERBS.roll(-1)[(verbs[:, None] == VERBS).float().argmax(-1)]  # for each another one
    return {HIDDEN: said(model, MASK), SHOWN: said(model, verbs), CORRECTED: said(model, wrong)}


def decide(runs: Runs) -> Verdict:
    """Pairs of runs with one seed; a lead counts from 0.05 on. True if 80/10/10 leads masks alone
    in most of the ten pairs where a wrong verb stands, else false. Replaced words are named as the
    cause only if 80/20/0 leads too and 80/0/20 does not.
    """
    ahead = {
        name: sum(a - b >= 0.05 for a, b in runs.pairs(name, MASKS, CORRECTED))
        for name in (USUAL, REPLACED, UNCHANGED)
    }
    numbers = (
        f"Where a wrong verb stands, a BERT of masks alone names the right one in "
        f"{runs.median(MASKS, CORRECTED):.0%}, 80/10/10 in {runs.median(USUAL, CORRECTED):.0%} "
        f"(0.05 ahead in {ahead[USUAL]} of 10 runs), 80/20/0 in "
        f"{runs.median(REPLACED, CORRECTED):.0%} ({ahead[REPLACED]}) and 80/0/20 in "
        f"{runs.median(UNCHANGED, CORRECTED):.0%} ({ahead[UNCHANGED]})."
    )
    return Verdict("true" if ahead[USUAL] > 10 / 2 else "false", numbers)


CLAIM = Claim(
    name="bert.corruption",
    lesson="labs/08_objectives",
    conditions=(
        Condition(USUAL, {"masked": 0.8, "replaced": 0.1}),
        Condition(MASKS, {"masked": 1.0, "replaced": 0.0}, "control"),
        Condition(REPLACED, {"masked": 0.8, "replaced": 0.2}, "control"),
        Condition(UNCHANGED, {"masked": 0.8, "replaced": 0.0}, "control"),
    ),
    first=5000,
    metric=CORRECTED,
    label="share of wrong verbs that the model puts right",
)


def decide_shown(runs: Runs) -> Verdict:
    """By the 95 % interval of the mean over ten runs, where the right verb stands: true if a BERT
    of masks alone names it in fewer than half of the stories, false if in more than 0.9.
    """
    named = interval(runs.values(MASKS, SHOWN))
    numbers = (
        f"Where the right verb stands, a BERT of masks alone names it in "
        f"{named:.1%} of the stories (80/10/10: {interval(runs.values(USUAL, SHOWN)):.1%})."
    )
    return Verdict.of(numbers, true=named.high < 0.5, false=named.low > 0.9)


CLAIM_SHOWN = CLAIM.also(
    name="bert.corruption_shown",
    first=5000,
    metric=SHOWN,
    label="share of right verbs, unmasked, that the model names",
)
