"""Lesson 11: do norms in front lower the loss where each side also has its warm-up?"""

from evidence.claim import Claim, Condition, Pair
from evidence.claims.since_2017.gains import LOSS, lower
from evidence.claims.since_2017.muon import measure
from evidence.claims.since_2017.rates import TUNED

LATE = ", warm-up of 100"
BLOCKS: tuple[Pair, Pair] = ("GPT-2", "GPT-2, post-norm"), ("today", "today, post-norm")
LONG = tuple((one + LATE, other + LATE) for one, other in BLOCKS)


decide = lower(*BLOCKS, *LONG)
CLAIM = Claim(
    name="modern.pre_norm",
    lesson="11_since_2017",
    measure=measure,
    conditions=tuple(
        Condition(side, {"side": side}, "control" if "post" in side else "lesson")
        for pair in (*BLOCKS, *LONG)
        for side in pair
    ),
    sides=TUNED,
    metric=LOSS,
    label="nats per piece of held-out text",
)
