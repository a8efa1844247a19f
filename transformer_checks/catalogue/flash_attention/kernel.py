"""flash.kernel: an online softmax in Triton, run by its interpreter."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from notebook_judge.checks.solutions import Solution
from transformer_checks.catalogue.draws import normal, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    g = generator
    rising, falling = torch.arange(16.0), -torch.arange(16.0)
    steep = torch.tensor([[200.0, 0.0, 0.0, 0.0]])
    far = torch.tensor([[0.0] * 16 + [11.0]])
    peak = torch.zeros(12).index_fill(0, torch.tensor([5]), 6.0)
    return [
        Case("one row of 4 in tiles of 2", {"scores": tidy(g, 1, 4), "tile": 2}),
        Case("rising scores", {"scores": rising + tidy(g, 1, 16), "tile": 4}),
        Case("falling scores", {"scores": falling + tidy(g, 1, 16), "tile": 4}),
        Case("the largest score in the middle", {"scores": peak + tidy(g, 1, 12), "tile": 4}),
        Case("scores around -200", {"scores": -200 + tidy(g, 1, 8), "tile": 4}),
        Case("scores around 200", {"scores": 200 + tidy(g, 1, 8), "tile": 4}),
        Case("a row of 5 in tiles of 4", {"scores": tidy(g, 3, 5), "tile": 4}),
        Case("a row of 3 in tiles of 1", {"scores": tidy(g, 2, 3), "tile": 1}),
        Case("a row of one", {"scores": tidy(g, 2, 1), "tile": 16}),
        Case("3 rows of 77 in tiles of 16", {"scores": 3 * normal(g, 3, 77), "tile": 16}),
        Case("3 rows of 97 in one tile of 128", {"scores": 3 * normal(g, 3, 97), "tile": 128}),
        Case("a rise of 200 between two tiles", {"scores": steep.flip(1), "tile": 2}),
        Case("a fall of 200 between two tiles", {"scores": steep, "tile": 2}),
        Case("17 rows of 3, rows of many sizes", {"scores": uneven(g, 17, 3), "tile": 4}),
        Case("a rise of 11 behind 16 equal scores", {"scores": far, "tile": 16}),
        Case("a fall of 11 before 16 equal scores", {"scores": far.flip(1), "tile": 4}),
        Case("a row of 5 around -200 in tiles of 4", {"scores": -200 + tidy(g, 1, 5), "tile": 4}),
    ]


# The notebook's solution needs Triton, which is for Linux, and whose interpreter is slow.
_TEXT = """
import torch


def online_softmax_rows(scores, tile):
    maximum, total = torch.full_like(scores[:, :1], -torch.inf), torch.zeros_like(scores[:, :1])
    for part in scores.split(tile, dim=-1):
        new = torch.maximum(maximum, part.amax(-1, keepdim=True))
        total = total * torch.exp(maximum - new) + torch.exp(part - new).sum(-1, keepdim=True)
        maximum = new
    weights = [torch.exp(part - maximum) / total for part in scores.split(tile, dim=-1)]
    return torch.cat(weights, dim=-1)
"""


CHECK = Check(
    name="flash.kernel",
    lesson="09_flash_attention",
    title="A Triton kernel",
    answer="online_softmax_rows",
    returns=("weights",),
    draw=_draw,
    points=3,
    difficulty=4,
    importance=4,
    minutes=20,
    forbidden=frozenset({"softmax", "attention", "exponential", "NumPy", "numbers", "no kernel"}),
    rtol=5e-5,
    solution=Solution("flash.kernel", "online_softmax_rows", _TEXT),
)
