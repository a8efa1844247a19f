"""attention.causal_mask: no query sees the future."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    # A random pair, so that no table of sizes passes for an answer.
    queries, earlier = torch.randint(2, 20, (2,), generator=generator).tolist()
    drawn = (queries, queries + earlier)
    sizes = [(3, 3), (2, 4), (1, 5), (4, 4), drawn, (2, 1030), (1, 1), (18, 23)]
    return [Case(f"{q} queries, {k} keys", {"queries": q, "keys": k}) for q, k in sizes]


CHECK = Check(
    name="attention.causal_mask",
    lesson="02_self_attention",
    title="The causal mask",
    answer="causal_mask",
    returns=("mask",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=5,
    minutes=8,
)
