"""training.adam: one step of Adam (Kingma & Ba 2015, algorithm 1)."""

from dataclasses import replace

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy, uneven

Betas = tuple[float, float]


def _draw(generator: Generator) -> list[Case]:
    def case(
        label: str,
        shape: tuple[int, ...],
        step: int,
        eps: float = 1e-8,
        betas: Betas = (0.9, 0.98),
        rate: float = 0.1,
    ) -> Case:
        draw = tidy if len(shape) == 1 else normal
        mean, square = normal(generator, *shape), 0.5 + normal(generator, *shape).square()
        if step == 1:
            mean, square = torch.zeros(shape), torch.zeros(shape)
        gradient = draw(generator, *shape)
        inputs = {
            "weight": draw(generator, *shape),
            # No gradient near 0, where the first step would hang on eps.
            "gradient": gradient + 0.2 * gradient.sign() + 0.1 * (gradient == 0),
            "mean": mean,
            "square": square,
            "step": step,
            "rate": rate,
            "beta1": betas[0],
            "beta2": betas[1],
            "eps": eps,
        }
        return Case(label, inputs)  # type: ignore[arg-type]

    def of_many_sizes() -> Case:
        drawn = case(
            "18 rows of many sizes, eps 0.25, rate 2", (18, 20), 7, 0.25, (0.85, 0.95), 2.0
        )

        def rows() -> Tensor:
            return uneven(generator, 18, 20)

        # What was is large where the gradient is not, or a small one would not show.
        mean, square = rows().flip(0), rows().flip(0).abs()
        sizes = {"weight": rows(), "gradient": rows(), "mean": mean, "square": square}
        return replace(drawn, inputs={**drawn.inputs, **sizes})

    return [
        case("the first step of three weights", (3,), 1),
        case("the second step", (3,), 2),
        case("step 10, eps as large as 2", (4,), 10, 2.0),
        case("step 3, betas 0.5 and 0.75", (2, 1), 3, 1e-8, (0.5, 0.75)),
        case("step 5000 of a matrix, beta2 0.9999", (3, 4), 5000, betas=(0.9, 0.9999)),
        case("step 2 of a single row", (1, 4), 2),
        case("step 4, rate 0.02", (3,), 4, rate=0.02),
        case("betas of 0: nothing is kept of the past, eps 0", (3,), 3, 0.0, (0.0, 0.0)),
        case("a rate of 0", (3,), 3, rate=0.0),
        of_many_sizes(),
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
