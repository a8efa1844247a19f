"""training.schedule: the learning rate of the paper, step by step (Vaswani et al. 2017, eq. 3)."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def between(low: int, high: int) -> int:
        return int(torch.randint(low, high, (), generator=generator))

    def case(label: str, step: int, warmup_steps: int, d_model: int) -> Case:
        inputs = {"step": step, "warmup_steps": warmup_steps, "d_model": d_model}
        return Case(label, inputs)

    warmup = between(50, 90)
    return [
        case("the first step", 1, 4, 16),
        case("half way up", 2, 4, 16),
        case("one step before the highest", 3, 4, 16),
        case("the highest", 4, 4, 16),
        case("one step after the highest", 5, 4, 16),
        case("four times as many steps as the warm-up", 16, 4, 64),
        case("within the warm-up", between(10, 40), warmup, 8 * between(9, 20)),
        case("after the warm-up", between(200, 900), warmup, 8 * between(9, 20)),
        case("the paper's own, at its first step", 1, 4000, 512),
        case("after a warm-up of one step", between(5, 50), 1, 48),
        case("the first step, with a warm-up of one step", 1, 1, 48),
    ]


CHECK = Check(
    name="training.schedule",
    lesson="07_training",
    title="The warm-up schedule",
    answer="learning_rate",
    returns=("rate",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=3,
    minutes=8,
    atol=1e-9,
)
