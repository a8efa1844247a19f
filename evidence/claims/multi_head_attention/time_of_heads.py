"""Lesson 03, section 11: do many heads take as long as one head of full width?"""

from collections.abc import Callable
from statistics import median
from time import process_time

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded
from transformer_lesson.attention import Attention, MultiHeadAttention

RATIO = "times that of one head"
EIGHT, MANY = "8 heads", "32 heads"
EIGHT_FUSED, MANY_FUSED = "8 heads, maps never stored", "32 heads, maps never stored"
WIDTH, TOKENS, REPEATS = 512, 512, 9


def measure(seed: int, heads: int, attention: Attention) -> Numbers:
    """Processor time of a forward pass with many heads and with one, taken in turn."""
    x = torch.randn(1, TOKENS, WIDTH, generator=seeded(seed))
    many, one = (
        MultiHeadAttention(WIDTH, number, attention=attention, generator=seeded(seed))
        for number in (heads, 1)
    )
    times: list[tuple[float, float]] = []
    with torch.no_grad():
        for _ in range(REPEATS + 1):
            times.append((_seconds(many, x), _seconds(one, x)))
    slow, fast = map(median, zip(*times[1:], strict=True))  # the first one warms up
    return {RATIO: slow / fast, "ms with one head": 1000 * fast}


def _seconds(layer: Callable[[Tensor], object], x: Tensor) -> float:
    start = process_time()
    layer(x)
    return process_time() - start


def decide(runs: Runs) -> Verdict:
    ratio = {name: runs.median(name, RATIO) for name in (EIGHT, MANY, EIGHT_FUSED, MANY_FUSED)}
    numbers = (
        f"Eight heads take {ratio[EIGHT]:.1f} times as long as one, 32 heads {ratio[MANY]:.1f} "
        f"times (medians of 10 runs); {ratio[EIGHT_FUSED]:.1f} and {ratio[MANY_FUSED]:.1f} times "
        "where the maps are never stored. Parameters and multiplications are equal, exactly."
    )
    same = max(ratio[EIGHT], ratio[MANY]) <= 1.25
    return Verdict("true" if same else "half true", numbers)


CLAIM = Claim(
    name="heads.time",
    lesson="03_multi_head_attention",
    says="Many narrow heads cost about what one head of full width costs.",
    title="Many heads take longer, less so where no maps are stored",
    source="Vaswani et al. 2017, section 3.2.2",
    measure=measure,
    conditions=(
        Condition(EIGHT, {"heads": 8, "attention": "reference"}),
        Condition(MANY, {"heads": 32, "attention": "reference"}),
        Condition(EIGHT_FUSED, {"heads": 8, "attention": "fused"}, "control"),
        Condition(MANY_FUSED, {"heads": 32, "attention": "fused"}, "control"),
    ),
    metric=RATIO,
    label="processor time, in times that of one head",
    along="heads",
    axis="heads",
    criterion=(
        "Parameters and multiplications are counted and equal. True: so is the time, which at 512 "
        "tokens is at most 1.25 times that of one head, with 8 heads and with 32 (medians). Half "
        "true: the counts are equal, the time is not."
    ),
    timed=True,
    decide=decide,
)
