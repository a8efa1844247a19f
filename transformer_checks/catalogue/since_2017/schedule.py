"""modern.schedule: warm-up, stable, decay (Hu et al. 2024, MiniCPM)."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check


def _draw(generator: Generator) -> list[Case]:
    def between(low: int, high: int) -> int:
        return int(torch.randint(low, high, (), generator=generator))

    def case(
        label: str,
        step: int,
        warmup: int = 4,
        steps: int = 20,
        decay: int = 5,
        highest: float = 0.5,
    ) -> Case:
        return Case(
            label,
            {"step": step, "highest": highest, "warmup": warmup, "steps": steps, "decay": decay},
        )

    warmup, decay, stable = between(20, 40), between(30, 60), between(50, 90)
    steps, rate = warmup + stable + decay, between(1, 90) / 1000
    return [
        case("the first step", 1),
        case("half way up", 2),
        case("the first at the highest", 4),
        case("the stable part", 9),
        case("the last at the highest", 15),
        case("the first step of the decay", 16),
        case("one step before the last", 19),
        case("the last step", 20),
        case("no warm-up, the first step", 1, warmup=0),
        case("no decay, the last step", 20, decay=0),
        case("neither warm-up nor decay", 1, 0, 1, 0),
        case("a run of one step, its warm-up", 1, 1, 1, 0),
        case("a run of one step, its decay", 1, 0, 1, 1),
        case("no stable part, half way", 4, 4, 8, 4),
        case("no stable part, behind it", 5, 4, 8, 4),
        case("a long run, in the warm-up", between(2, 20), warmup, steps, decay, rate),
        case("a long run, in the decay", steps - between(1, 29), warmup, steps, decay, rate),
        case("a long run, between them", warmup + between(1, 50), warmup, steps, decay, rate),
        case("as in practice, the first step", 1, 2000, 60_000, 9000, 3e-4),
        case("as in practice, the last step", 60_000, 2000, 60_000, 9000, 3e-4),
        case("a decay as long as the run", between(1, 9), 0, 12, 12, 3.0),
        case("a warm-up as long as the run", between(1, 9), 12, 12, 0, 3.0),
    ]


CHECK = Check(
    name="modern.schedule",
    lesson="11_since_2017",
    title="Warm-up, stable, decay",
    answer="learning_rate",
    returns=("rate",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=3,
    minutes=8,
    atol=1e-12,
)
