"""Lab 08: does BERT need its words that are replaced, and those that are left?"""

import torch

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from evidence.claims.bert_and_gpt.stories import (
    GAPS,
    SEP,
    VERBS,
    Model,
    Parts,
    bert,
    guesses,
    known,
    known_ids,
    unseen,
    unseen_ids,
)
from transformer_lesson import seeded

SEEN, HIDDEN, WRONG = "visible words", "hidden verbs", "wrong verbs put right"
PROBE = "probe of 16 labels"
RECIPE, MASKS, KEPT = "80/10/10", "100/0/0", "80/0/20"
DRAWS = 20


def measure(seed: int, masked: float, replaced: float) -> Numbers:
    """Shares of right words where they stand, where they are hidden, where a wrong one stands."""
    model = bert(seed, masked=masked, replaced=replaced)
    place = GAPS["verb"]
    right = unseen_ids[:, place]
    wrong = unseen_ids.clone()
    wrong[:, place] = VERBS[((right[:, None] == VERBS).float().argmax(-1) + 1) % len(VERBS)]
    with torch.no_grad():
        said = model(unseen_ids).argmax(-1)
        corrected = model(wrong)[:, place].argmax(-1)
    words = unseen_ids > SEP
    return {
        SEEN: (said == unseen_ids)[words].float().mean().item(),
        HIDDEN: (guesses(model, place).argmax(-1) == right).float().mean().item(),
        WRONG: (corrected == right).float().mean().item(),
        PROBE: probed(model),
    }


@torch.no_grad()
def probed(model: Model) -> float:
    """Accuracy of a linear probe of frozen states: inside or outside, from the second part."""

    def states(ids: torch.Tensor) -> torch.Tensor:
        second = torch.cat([ids[:, :1], ids[:, 12:]], dim=1)
        return model.hidden(second).mean(1)  # (stories, d_model)

    def outside(parts: list[Parts]) -> torch.Tensor:
        return torch.tensor([2.0 * (first[1] in ("sunny", "windy")) - 1 for first, _ in parts])

    train_x, train_y = states(known_ids), outside(known)
    test_x, test_y = states(unseen_ids), outside(unseen)
    center, spread = train_x.mean(0), train_x.std(0)
    train_x, test_x = (train_x - center) / spread, (test_x - center) / spread
    right = []
    for draw in range(DRAWS):
        order = torch.randperm(len(train_x), generator=seeded(draw))
        rows = torch.cat([order[train_y[order] == kind][:8] for kind in (-1.0, 1.0)])
        x, y = train_x[rows], train_y[rows]
        weights = torch.linalg.solve(x @ x.T + torch.eye(len(x)), y) @ x  # ridge regression
        right.append((((test_x @ weights) > 0) == (test_y > 0)).float().mean().item())
    return sum(right) / DRAWS


def decide(runs: Runs) -> Verdict:
    def less(metric: str, by: float = 0.0) -> int:
        pairs = zip(runs.values(MASKS, metric), runs.values(RECIPE, metric), strict=True)
        return sum(own < other - by for own, other in pairs)

    number = len(runs.values(RECIPE, SEEN))
    seen, used, hidden = less(SEEN), less(PROBE, 0.02), less(HIDDEN, 0.02)
    numbers = (
        f"With masks alone BERT says {runs.median(MASKS, SEEN):.0%} of the visible words as they "
        f"stand, with the recipe {runs.median(RECIPE, SEEN):.0%} (less in {seen} of {number} "
        f"runs), with no word replaced {runs.median(KEPT, SEEN):.0%}. Hidden verbs: "
        f"{runs.median(MASKS, HIDDEN):.0%} and {runs.median(RECIPE, HIDDEN):.0%} (worse by 0.02 in "
        f"{hidden}). A probe of its states: {runs.median(MASKS, PROBE):.0%} and "
        f"{runs.median(RECIPE, PROBE):.0%} (worse by 0.02 in {used})."
    )
    if seen >= number - 1 and max(used, hidden) >= number - 1:
        return Verdict("true", numbers)
    if seen >= number - 1 and max(used, hidden) <= number / 2:
        return Verdict("half true", numbers)
    return Verdict("false" if max(seen, used, hidden) <= number / 2 else "not decided", numbers)


CLAIM = Claim(
    name="bert.corruption",
    lesson="labs/08_objectives",
    says="BERT needs the chosen words that are replaced or left, since it later meets no [mask].",
    source="Devlin et al. 2019, section 3.1 and appendix C.2",
    measure=measure,
    conditions=(
        Condition(RECIPE, {"masked": 0.8, "replaced": 0.1}),
        Condition(MASKS, {"masked": 1.0, "replaced": 0.0}, "control"),
        Condition(KEPT, {"masked": 0.8, "replaced": 0.0}, "control"),
    ),
    runs=5,
    metric=SEEN,
    label="share of visible words that are said as they stand",
    criterion=(
        "With masks alone BERT says fewer visible words as they stand, in all runs but one, "
        "paired by their starts: that is half of the claim. The other half is that something of "
        "use suffers: hidden verbs, or a linear probe of frozen states on 16 labels, worse by 0.02 "
        "in all runs but one (true) or in at most half of them (half true)."
    ),
    decide=decide,
)
