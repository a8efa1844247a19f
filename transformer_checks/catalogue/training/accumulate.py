"""training.accumulate: many small batches, one step."""

import math
from dataclasses import replace

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy, uneven


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, tokens: list[int], weights: int) -> Case:
        draw = tidy if len(tokens) < 3 else normal
        counts = torch.tensor(tokens)
        losses = 1 + draw(generator, len(tokens)).abs()
        gradients = draw(generator, len(tokens), weights)
        losses[counts == 0] = math.nan
        gradients[counts == 0] = math.nan
        return Case(label, {"losses": losses, "gradients": gradients, "tokens": counts})

    cases = [
        case("two batches, of 1 and of 3 tokens", [1, 3], 2),
        case("three batches of 4 tokens", [4, 4, 4], 3),
        case("four batches of different sizes", [50, 7, 31, 3], 5),
        case("a batch that is all padding, with mean 0/0", [6, 0, 2], 3),
        case("one batch, one weight", [9], 1),
        case("batches of thousands of tokens", [3000, 1200], 3),
        case("the first two batches and the last all padding", [0, 0, 5, 3, 0], 3),
        case("a mean loss below zero", [2, 5], 2),
    ]
    many = torch.randint(1, 60, (18,), generator=generator).tolist()
    sizes = case("18 batches of many sizes, 20 weights", many, 20)
    small = case("losses and gradients below a thousandth", [5, 3], 2)
    rows = {"losses": uneven(generator, 18, 1)[:, 0], "gradients": uneven(generator, 18, 20)}
    for name in rows:
        numbers = small.inputs[name]
        assert isinstance(numbers, Tensor)
        numbers.mul_(5e-4)
    below = cases[-1].inputs["losses"]
    assert isinstance(below, Tensor)
    below[0] *= -1
    return [*cases, small, replace(sizes, inputs={**sizes.inputs, **rows})]


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
