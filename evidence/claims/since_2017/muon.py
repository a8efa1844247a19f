"""Lesson 11: does Muon reach in half the work, or in half the steps, what AdamW reaches?"""

from evidence.claim import Claim, Condition, Numbers
from evidence.claims.since_2017.gains import LOSS, as_well
from evidence.claims.since_2017.rates import RATES, TUNED
from evidence.claims.since_2017.text import everyday_text
from evidence.claims.since_2017.trained import loss_on, trained

OLD, NEW = "GPT-2", "today"
WORK, STEPS = " + Muon, half the work", " + Muon, half the steps"


def measure(seed: int, side: str) -> Numbers:
    """Loss on the test text at the rate that validation text chose for this side and length."""
    model = trained(seed, rate=RATES[side], **TUNED[side])
    return {LOSS: loss_on(model, everyday_text().test)}


decide = as_well((OLD + WORK, OLD), (NEW + WORK, NEW))
CLAIM = Claim(
    name="modern.muon",
    lesson="11_since_2017",
    conditions=tuple(
        Condition(side, {"side": side}, "control" if side in (OLD, NEW) else "lesson")
        for block in (OLD, NEW)
        for side in (block, block + WORK, block + STEPS)
    ),
    sides=TUNED,
    metric=LOSS,
    label="nats per piece of held-out text",
)
