"""training.clip: one length for the gradients of all weights."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.catalogue.ordinary import ordinary


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, shape: tuple[int, int], size: float, max_norm: float) -> Case:
        draw = tidy if shape[0] < 2 else normal
        matrix, bias = size * draw(generator, *shape), size * draw(generator, shape[0])
        matrix[0, 0], bias[0] = 1.5 * size, -2 * size  # never nearly nothing
        return Case(label, {"matrix": matrix, "bias": bias, "max_norm": max_norm})

    zero = case("no gradient at all", (2, 3), 0.0, 1.0)
    return [
        case("three numbers that are too long together", (1, 2), 2.0, 1.0),
        case("short enough already", (2, 3), 0.01, 1.0),
        case("far too long", (3, 4), 50.0, 1.0),
        case("max_norm 2.5", (3, 2), 1.5, 2.5),
        # Each alone is short enough, both together are not.
        Case(
            "each short enough alone, both together not",
            {
                "matrix": torch.tensor([[0.6, 0.5], [-0.3, 0.4]]),
                "bias": torch.tensor([-0.7, 0.6]) + 0.01 * normal(generator, 2),
                "max_norm": 1.0,
            },
        ),
        zero,
        Case(
            "a bias longer than the matrix has rows",
            {
                "matrix": 2 * normal(generator, 2, 3),
                "bias": 1 + normal(generator, 4).abs(),
                "max_norm": 1.0,
            },
        ),
        case("longer than 1, and shorter than max_norm", (1, 2), 0.8, 4.0),
        case("shorter than 1, and longer than max_norm", (1, 2), 0.2, 0.25),
        *ordinary(
            generator,
            gradients=False,
            matrix="rows columns",
            bias="entries",
            given={"max_norm": 3.0},
        ),
    ]


CHECK = Check(
    name="training.clip",
    lesson="07_training",
    title="Clipping",
    answer="clip",
    returns=("matrix", "bias", "norm"),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=3,
    minutes=8,
)
