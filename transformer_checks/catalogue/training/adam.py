"""training.adam: one step of Adam (Kingma & Ba 2015, algorithm 1)."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, step: int, **settings: float) -> Case:
        mean, square = normal(generator, 3), 0.5 + normal(generator, 3).square()
        if step == 1:
            mean, square = torch.zeros(3), torch.zeros(3)
        gradient = tidy(generator, 3)
        inputs: dict[str, Value] = {
            "weight": tidy(generator, 3),
            # No gradient near 0, where the first step would hang on eps.
            "gradient": gradient + 0.2 * gradient.sign() + 0.1 * (gradient == 0),
            "mean": mean,
            "square": square,
            "step": step,
            "rate": 0.1,
            "beta1": 0.9,
            "beta2": 0.98,
            "eps": 1e-8,
        }
        return Case(label, {**inputs, **settings})

    rough = {"step": 7, "rate": 2.0, "beta1": 0.85, "beta2": 0.95, "eps": 0.25}
    return [
        case("the first step of three weights", 1),
        case("the second step", 2),
        case("step 10, eps as large as 2", 10, eps=2.0),
        case("step 3, betas 0.5 and 0.75", 3, beta1=0.5, beta2=0.75),
        case("step 5000, beta2 0.9999", 5000, beta2=0.9999),
        case("step 4, rate 0.02", 4, rate=0.02),
        case("betas of 0: nothing is kept of the past, eps 0", 3, beta1=0.0, beta2=0.0, eps=0.0),
        case("a rate of 0", 3, rate=0.0),
        *ordinary(
            generator,
            gradients=False,
            weight="rows columns",
            gradient="rows columns",
            mean="rows columns",
            square="rows columns",
            given=lambda drawn: {"square": drawn["square"].abs(), **rough},
        ),
    ]


CHECK = Check(
    name="training.adam",
    lesson="07_training",
    title="A step of Adam",
    answer="adam_step",
    returns=("weight", "mean", "square"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=3,
    minutes=15,
)
