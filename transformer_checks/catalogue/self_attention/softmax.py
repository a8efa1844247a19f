"""attention.softmax: from scores to weights."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    levels = torch.tensor([[-1000.0], [0.0], [1000.0]])
    return [
        Case("two rows of three scores", {"scores": tidy(generator, 2, 3)}),
        Case("one row of four scores, no row axis", {"scores": tidy(generator, 4)}),
        Case("scores around 1000", {"scores": 1000 + tidy(generator, 2, 3)}),
        Case("scores around -1000", {"scores": -1000 + tidy(generator, 2, 3)}),
        Case("rows at -1000, 0 and 1000", {"scores": levels + tidy(generator, 3, 4)}),
        Case(
            "a batch, its rows at -1000, 0 and 1000", {"scores": levels + tidy(generator, 2, 3, 4)}
        ),
        Case("a row that spans 2000", {"scores": torch.tensor([[-1000.0, 0.0, 1000.0, 999.0]])}),
        Case("a row from -1000 to 2", {"scores": torch.tensor([[-1000.0, 2.0, 1.0, 0.0]])}),
        Case(
            "one score far above the others",
            {"scores": torch.tensor([[20.0, 0.0, 1.0], [150.0, 0.0, 0.0]])},
        ),
        *ordinary(generator, gradients=False, turned=True, scores="... queries keys"),
    ]


CHECK = Check(
    name="attention.softmax",
    lesson="02_self_attention",
    title="Softmax that does not overflow",
    answer="softmax",
    returns=("weights",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=5,
    minutes=5,
    forbidden=frozenset({"softmax", "attention"}),
    # Scores are given, not computed, so little rounding is left: an epsilon of 1e-4 shows.
    rtol=8e-5,
    atol=1e-7,
)
