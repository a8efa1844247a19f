"""Lab 09 on traffic, section 8: does attention in tiles round worse than attention in one piece?"""

from functools import reduce
from typing import Literal

import torch
from torch import Tensor

from evidence.claim import Claim, Condition, Numbers, Runs, Verdict
from transformer_lesson import seeded
from transformer_lesson.flash.softmax import Partial, finish, merge, partial
from transformer_lesson.flash.tiled import tiled_forward

Way = Literal["tiles", "as kernels round", "plain, float32 inside", "tiles, bfloat16 inside"]
RATIO = "error over that of plain attention"
FLOAT, LONGER = "float32, 1,000 keys", "float32, 4,000 keys"
HALF, HALF_LONGER = "bfloat16, 1,000 keys", "bfloat16, 4,000 keys"
AS_KERNELS = "bfloat16, weights rounded as in kernels"
EXACT_INSIDE = "bfloat16, plain, float32 inside"
ROUNDED_INSIDE = "bfloat16, tiles, bfloat16 inside"
NARROW = "bfloat16, narrower scores"
NARROW_AS_KERNELS = "bfloat16, narrower scores, weights rounded"
QUERIES, WIDTH, TILE = 256, 64, 64


def measure(seed: int, dtype: str, keys: int, way: Way, size: float = 2.0) -> Numbers:
    """Root mean square errors against float64, of plain attention and of another way."""
    generator = seeded(seed)
    query = size * torch.randn(1, 1, QUERIES, WIDTH, generator=generator)
    key, value = size * torch.randn(2, 1, 1, keys, WIDTH, generator=generator)
    given = [x.to(getattr(torch, dtype)) for x in (query, key, value)]
    exact = _plain(*(x.double() for x in given))
    plain, other = (_error(attend, exact) for attend in (_plain(*given), _other(way, *given)))
    return {RATIO: other / plain, "error of plain attention": plain}


def _error(output: Tensor, exact: Tensor) -> float:
    return (output.double() - exact).square().mean().sqrt().item()


def _plain(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return (query @ key.mT / WIDTH**0.5).softmax(-1) @ value


def _other(way: Way, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    if way == "plain, float32 inside":
        return _plain(query.float(), key.float(), value.float()).to(query.dtype)
    tiles = zip(key.split(TILE, -2), value.split(TILE, -2), strict=True)
    if way == "tiles, bfloat16 inside":
        return finish(reduce(merge, (partial(query @ k.mT / WIDTH**0.5, v) for k, v in tiles)))[0]
    if way == "as kernels round":
        return finish(reduce(merge, (_as_a_kernel(query, k, v) for k, v in tiles)))[0].to(query)
    output, _ = tiled_forward(
        query, key, value, causal=False, scale=WIDTH**-0.5, tile_queries=TILE, tile_keys=TILE
    )
    return output


def _as_a_kernel(query: Tensor, key: Tensor, value: Tensor) -> Partial:
    """One tile: sums in float32, but both factors of each product in the type of the inputs."""
    scores = query.float() @ key.float().mT / WIDTH**0.5
    maximum = scores.amax(-1)
    exponentials = torch.exp(scores - maximum[..., None])
    weighted = exponentials.to(value.dtype).float() @ value.float()
    return Partial(maximum, exponentials.sum(-1), weighted)


def decide(runs: Runs) -> Verdict:
    """Root mean square errors against float64, 16 tiles or more. False: in all 20 runs the tiles'
    error is at most 1.1 times that of plain attention, in float32 and in bfloat16, with 1,000 keys
    and with 4,000, with narrower scores, and where the weights are rounded as in kernels. Half
    true: in one of the types only.
    """
    ratio = {c.name: runs.median(c.name, RATIO) for c in CLAIM.conditions}
    numbers = (
        f"The error of attention in tiles is {ratio[FLOAT]:.2g} times that of plain attention in "
        f"float32 and {ratio[HALF]:.2g} times in bfloat16 (medians), where plain attention that "
        f"computes in float32 inside comes to {ratio[EXACT_INSIDE]:.2g}, and tiles whose sums are "
        f"kept in bfloat16 to {ratio[ROUNDED_INSIDE]:.2g}."
    )
    no_worse = [
        all(runs.count(lambda value: value <= 1.1, name, RATIO) == 20 for name in names)
        for names in ((FLOAT, LONGER), (HALF, HALF_LONGER, AS_KERNELS, NARROW, NARROW_AS_KERNELS))
    ]
    return Verdict.of(numbers, false=all(no_worse), half_true=any(no_worse), true=True)


CLAIM = Claim(
    name="flash.rounding",
    lesson="labs/09_traffic",
    conditions=(
        Condition(FLOAT, {"dtype": "float32", "keys": 1000, "way": "tiles"}),
        Condition(HALF, {"dtype": "bfloat16", "keys": 1000, "way": "tiles"}),
        Condition(LONGER, {"dtype": "float32", "keys": 4000, "way": "tiles"}, "longer"),
        Condition(HALF_LONGER, {"dtype": "bfloat16", "keys": 4000, "way": "tiles"}, "longer"),
        Condition(
            AS_KERNELS, {"dtype": "bfloat16", "keys": 1000, "way": "as kernels round"}, "control"
        ),
        Condition(
            EXACT_INSIDE,
            {"dtype": "bfloat16", "keys": 1000, "way": "plain, float32 inside"},
            "control",
        ),
        Condition(
            ROUNDED_INSIDE,
            {"dtype": "bfloat16", "keys": 1000, "way": "tiles, bfloat16 inside"},
            "control",
        ),
        Condition(
            NARROW, {"dtype": "bfloat16", "keys": 1000, "way": "tiles", "size": 1.0}, "control"
        ),
        Condition(
            NARROW_AS_KERNELS,
            {"dtype": "bfloat16", "keys": 1000, "way": "as kernels round", "size": 1.0},
            "control",
        ),
    ),
    runs=20,
    first=200,
    metric=RATIO,
    label="error against float64, in times that of plain attention",
    logarithmic=True,
)
