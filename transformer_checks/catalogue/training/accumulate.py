"""training.accumulate: many small batches, one step."""

import math

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, tokens: list[int], size: float = 1.0) -> Case:
        draw = tidy if len(tokens) < 3 else normal
        counts = torch.tensor(tokens)
        losses = size * (1 + draw(generator, len(tokens)).abs())
        gradients = size * draw(generator, len(tokens), 3)
        losses[counts == 0] = math.nan
        gradients[counts == 0] = math.nan
        return Case(label, {"losses": losses, "gradients": gradients, "tokens": counts})

    return [
        case("two batches, of 1 and of 3 tokens", [1, 3]),
        case("three batches of 4 tokens", [4, 4, 4]),
        case("four batches of different sizes", [50, 7, 31, 3]),
        case("a batch that is all padding, with mean 0/0", [6, 0, 2]),
        case("batches of thousands of tokens", [3000, 1200]),
        case("the first two batches and the last all padding", [0, 0, 5, 3, 0]),
        case("losses and gradients below a thousandth", [5, 3], 5e-4),
        *ordinary(
            generator,
            gradients=False,
            axes={"losses": "batches", "gradients": "batches weights", "tokens": "<60 batches"},
            given=lambda drawn: {"tokens": 1 + drawn["tokens"]},
        ),
    ]


CHECK = Check(
    name="training.accumulate",
    lesson="07_training",
    title="Gradient accumulation",
    answer="accumulate",
    returns=("loss", "gradient"),
    draw=_draw,
    points=2,
    difficulty=2,
    importance=4,
    minutes=10,
)
