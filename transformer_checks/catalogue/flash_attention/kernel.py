"""flash.kernel: an online softmax in Triton, run by its interpreter."""

import math
from collections.abc import Callable

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _reference(scores: Tensor, tile: int) -> Tensor:
    exponentials = torch.exp(scores - scores.amax(-1, keepdim=True))
    return exponentials / exponentials.sum(-1, keepdim=True)


def _draw(generator: Generator) -> list[Case]:
    g = generator
    rising, falling = torch.arange(16.0), -torch.arange(16.0)
    peak = torch.zeros(12).index_fill(0, torch.tensor([5]), 6.0)
    return [
        Case("one row of 4 in tiles of 2", {"scores": tidy(g, 1, 4), "tile": 2}),
        Case("rising scores", {"scores": rising + tidy(g, 2, 16), "tile": 4}),
        Case("falling scores", {"scores": falling + tidy(g, 2, 16), "tile": 4}),
        Case("the largest score in the middle", {"scores": peak + tidy(g, 2, 12), "tile": 4}),
        Case("scores around -200", {"scores": -200 + tidy(g, 2, 8), "tile": 4}),
        Case("scores around 200", {"scores": 200 + tidy(g, 2, 8), "tile": 4}),
        Case("a row of 5 in tiles of 4", {"scores": tidy(g, 3, 5), "tile": 4}),
        Case("a row of one", {"scores": tidy(g, 2, 1), "tile": 16}),
        Case("5 rows of 77 in tiles of 16", {"scores": 3 * normal(g, 5, 77), "tile": 16}),
        Case("3 rows of 97 in one tile of 128", {"scores": 3 * normal(g, 3, 97), "tile": 128}),
    ]


def _with(
    *,
    rescale: bool = True,
    inverted: bool = False,
    start: float = -math.inf,
    add: bool = True,
    own: bool = False,
    forget: bool = False,
    divide: bool = True,
    safe: bool = True,
) -> Callable[[Tensor, int], Tensor]:
    def answer(scores: Tensor, tile: int) -> Tensor:
        maximum, total = scores.new_full((len(scores),), start), scores.new_zeros(len(scores))
        for part in scores.split(tile, dim=-1):
            new = torch.maximum(maximum, part.amax(-1)) if safe else torch.zeros_like(maximum)
            new = part.amax(-1) if forget else new
            factor = torch.exp(new - maximum if inverted else maximum - new) if rescale else 1.0
            here = torch.exp(part - new[:, None]).sum(-1)
            total = factor * total + here if add else here
            maximum = new
        weights = []
        for part in scores.split(tile, dim=-1):
            shift = part.amax(-1) if own else maximum
            weights.append(torch.exp(part - shift[:, None]))
        joined = torch.cat(weights, -1)
        return joined / total[:, None] if divide else joined

    return answer


def _tile_by_tile(scores: Tensor, tile: int) -> Tensor:
    return torch.cat([part.softmax(-1) for part in scores.split(tile, dim=-1)], -1)


KERNEL = Check(
    name="flash.kernel",
    lesson="09_flash_attention",
    title="A Triton kernel",
    answer="online_softmax_rows",
    returns=("weights",),
    points=3,
    difficulty=4,
    importance=4,
    minutes=20,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"softmax", "attention", "exponential", "NumPy"}),
    slips=(
        Misconception(
            "sum not rescaled",
            _with(rescale=False),
            "the sum is not rescaled when the maximum grows",
            "The sum so far refers to the old maximum. Which factor mends it?",
        ),
        Misconception(
            "factor inverted",
            _with(inverted=True),
            "the factor is turned upside down: the sum grows where it should shrink",
            "The new maximum is never smaller than the old one, so the factor is never above 1.",
        ),
        Misconception(
            "maximum starts at 0",
            _with(start=0.0),
            "the maximum starts at 0: a row of very negative scores underflows",
            "The kernel starts it at -inf. Leave that as it is.",
        ),
        Misconception(
            "no maximum",
            _with(start=0.0, safe=False),
            "no maximum is subtracted: large scores overflow, very negative ones vanish",
            "The exponentials need the maximum so far.",
        ),
        Misconception(
            "sum of the last tile",
            _with(add=False),
            "the sum is that of the last tile alone",
            "What was there before stays, times a factor.",
        ),
        Misconception(
            "the tile's own maximum at the end",
            _with(own=True),
            "the second loop subtracts the maximum of its tile, not that of the row",
            "The sum refers to the maximum of the whole row, so the weights must too.",
        ),
        Misconception(
            "each tile a softmax of its own",
            _tile_by_tile,
            "each tile sums to one instead of each row",
            "Maximum and sum belong to the row: they are carried from tile to tile.",
        ),
        Misconception(
            "not divided by the sum",
            _with(divide=False),
            "the exponentials are not divided by the sum",
            "What must a row of weights sum to?",
        ),
    ),
    hints=(
        "It is section 5 of the lesson with `tl.` in front: `tl.maximum` of two numbers, "
        "`tl.max(scores, 0)` of a tile, `tl.sum(…, 0)`, `tl.exp`.",
        "First loop: the new maximum, then total * exp(old - new) + the tile's exponentials, then "
        "the new maximum becomes the old one.",
        "Second loop: `weights = tl.exp(scores - maximum) / total`.",
    ),
)
