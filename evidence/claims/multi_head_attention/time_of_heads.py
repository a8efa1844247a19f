"""Lesson 03, section 11: do many heads take as long as one head of full width?"""

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Literal

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded
from transformer_lesson.attention import Attention, MultiHeadAttention

RATIO = "times that of one head"
EIGHT, MANY = "8 heads, maps in new memory", "32 heads, maps in new memory"
EIGHT_AGAIN, MANY_AGAIN = (
    "8 heads, maps in memory used before",
    "32 heads, maps in memory used before",
)
EIGHT_FUSED, MANY_FUSED = "8 heads, maps never stored", "32 heads, maps never stored"
WIDTH, TOKENS, REPEATS = 512, 512, 9
Maps = Literal["new", "again", "never"]


def measure(seed: int, heads: int, maps: Maps) -> Numbers:
    """Processor time of a forward pass with many heads and with one, taken in turn."""
    x = torch.randn(1, TOKENS, WIDTH, generator=seeded(seed))
    many, one = (_pass(number, maps, seed) for number in (heads, 1))
    times: list[tuple[float, float]] = []
    with torch.no_grad():
        for _ in range(REPEATS + 1):
            times.append((_seconds(many, x), _seconds(one, x)))
    slow, fast = map(median, zip(*times[1:], strict=True))  # the first one warms up
    return {RATIO: slow / fast, "ms with one head": 1000 * fast}


def _pass(heads: int, maps: Maps, seed: int) -> Callable[[Tensor], object]:
    """A forward pass; the maps "new" and "again" come of one code, in new or the same memory."""
    attention: Attention = "fused" if maps == "never" else "reference"
    layer = MultiHeadAttention(WIDTH, heads, attention=attention, generator=seeded(seed))
    if maps == "never":
        return layer
    kept = torch.empty(2, 1, heads, TOKENS, TOKENS)

    def run(x: Tensor) -> Tensor:
        scores, weights = kept if maps == "again" else torch.empty_like(kept)
        query, key, value = (
            project(x).unflatten(-1, (heads, -1)).transpose(1, 2)  # (1, heads, tokens, d_head)
            for project in (layer.query_projection, layer.key_projection, layer.value_projection)
        )
        torch.matmul(query * layer.d_head**-0.5, key.mT, out=scores)
        torch.softmax(scores, -1, out=weights)
        output: Tensor = layer.output_projection((weights @ value).transpose(1, 2).flatten(2))
        return output

    return run


def _seconds(layer: Callable[[Tensor], object], x: Tensor) -> float:
    start = process_time()
    layer(x)
    return process_time() - start


def decide(runs: Runs) -> Verdict:
    """True if the time at 512 tokens is at most 1.25 times that of one head, with 8 heads and with
    32 (medians); else false. Parameters and multiplications are counted and equal. New memory for
    the maps is named as the reason if without it, in the same code, 32 heads lose at least half of
    their extra time.
    """
    eight, many, again, fused = (
        runs.median(name, RATIO) for name in (EIGHT, MANY, MANY_AGAIN, MANY_FUSED)
    )
    memory = again - 1 <= (many - 1) / 2
    numbers = (
        f"Eight heads take {eight:.1f} times as long as one, 32 heads {many:.1f} times (medians); "
        f"in memory that was used before {again:.1f} times, and {fused:.1f} where the maps are "
        f"never stored. Asking for new memory {'makes' if memory else 'does not make'} up at least "
        "half of the difference."
    )
    return Verdict("true" if max(eight, many) <= 1.25 else "false", numbers)


CLAIM = Claim(
    name="heads.time",
    lesson="labs/03_architectures",
    conditions=(
        Condition(EIGHT, {"heads": 8, "maps": "new"}),
        Condition(MANY, {"heads": 32, "maps": "new"}),
        Condition(EIGHT_AGAIN, {"heads": 8, "maps": "again"}, "control"),
        Condition(MANY_AGAIN, {"heads": 32, "maps": "again"}, "control"),
        Condition(EIGHT_FUSED, {"heads": 8, "maps": "never"}, "control"),
        Condition(MANY_FUSED, {"heads": 32, "maps": "never"}, "control"),
    ),
    first=200,
    metric=RATIO,
    label="processor time, in times that of one head",
    along="heads",
    axis="heads",
    timed=True,
)
