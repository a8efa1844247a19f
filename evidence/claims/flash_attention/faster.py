"""Lab 09, traffic and time: how many times as fast as plain attention is the fused one here?"""

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded
from transformer_lesson.flash import flash_attention

Way = Literal["fused", "tiles"]
FASTER = "times as fast as plain attention"
FUSED = {tokens: f"fused, {tokens:,} tokens" for tokens in (512, 1024, 2048, 4096)}
TILES = {tokens: f"our tiles, {tokens:,} tokens" for tokens in (512, 2048, 4096)}
TRAINED, WHOLE = "fused, 1,024 tokens, with backward", "fused, 2,048 tokens, not causal"
HEADS, WIDTH = 4, 64


def measure(seed: int, way: Way, tokens: int, causal: bool = True, train: bool = False) -> Numbers:
    """Processor time of plain attention over that of another way, taken in turn."""
    given = [
        x.requires_grad_(train)
        for x in torch.randn(3, 1, HEADS, tokens, WIDTH, generator=seeded(seed))
    ]
    other = _fused if way == "fused" else _tiles
    times: list[tuple[float, float]] = []
    for _ in range(4 if tokens > 2048 else 6):
        times.append((_seconds(_plain, given, causal), _seconds(other, given, causal)))
    slow, fast = map(median, zip(*times[1:], strict=True))  # the first one warms up
    return {FASTER: slow / fast, "ms": 1000 * fast, "ms of plain attention": 1000 * slow}


def _seconds(
    attend: Callable[[Tensor, Tensor, Tensor, bool], Tensor], given: list[Tensor], causal: bool
) -> float:
    query, key, value = given
    start = process_time()
    output = attend(query, key, value, causal)
    if output.requires_grad:
        torch.autograd.grad(output.sum(), given)
    return process_time() - start


def _plain(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Tensor:
    scores = query @ key.mT / WIDTH**0.5
    if causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~seen, -torch.inf)
    return scores.softmax(-1) @ value


def _tiles(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Tensor:
    output = flash_attention(query, key, value, causal=causal, backend="tiled")
    assert isinstance(output, Tensor)
    return output


def _fused(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value, is_causal=causal)


def decide(runs: Runs) -> Verdict:
    """On a CPU, one head width (64), four heads, causal, forward; medians of the runs at 512,
    1,024, 2,048 and 4,096 tokens. True: all four lie between 2 and 4. True here: only some do.
    False: none does.
    """
    faster = {c.name: runs.median(c.name, FASTER) for c in CLAIM.conditions}
    ahead = [faster[FUSED[n]] / faster[TILES[n]] for n in TILES]
    numbers = (
        "In processor time PyTorch's fused kernel is "
        + ", ".join(f"{faster[FUSED[n]]:.1f} times ({n:,} tokens)" for n in FUSED)
        + f" as fast as plain attention, and {min(ahead):.1f} to {max(ahead):.1f} times as fast as "
        "the same algorithm in separate operations."
    )
    inside = [2 <= faster[FUSED[n]] <= 4 for n in FUSED]
    return Verdict.of(numbers, true=all(inside), true_here=any(inside), false=True)


CLAIM = Claim(
    name="flash.faster",
    lesson="labs/09_traffic",
    conditions=(
        *(Condition(FUSED[n], {"way": "fused", "tokens": n}) for n in (1024, 512, 2048)),
        Condition(FUSED[4096], {"way": "fused", "tokens": 4096}, "longer"),
        Condition(TRAINED, {"way": "fused", "tokens": 1024, "train": True}),
        Condition(WHOLE, {"way": "fused", "tokens": 2048, "causal": False}, "control"),
        *(Condition(TILES[n], {"way": "tiles", "tokens": n}, "control") for n in TILES),
    ),
    metric=FASTER,
    label="times as fast as plain attention, in processor time",
    along="tokens",
    axis="tokens",
    logarithmic=True,
    timed=True,
    first=200,
)
