"""training.clip: one length for the gradients of all weights."""

import torch
from torch import Generator

from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


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
            {"matrix": torch.tensor([[0.6, 0.5], [-0.3, 0.4]]),
             "bias": torch.tensor([-0.7, 0.6]) + 0.01 * normal(generator, 2), "max_norm": 1.0},
        ),
        zero,
        Case(
            "a bias longer than the matrix has rows",
            {"matrix": 2 * normal(generator, 2, 3), "bias": 1 + normal(generator, 4).abs(),
             "max_norm": 1.0},
        ),
        case("longer than 1, and shorter than max_norm", (1, 2), 0.8, 4.0),
        case("shorter than 1, and longer than max_norm", (1, 2), 0.2, 0.25),
        case("18 rows, 20 columns", (18, 20), 1.0, 3.0),
    ]


_NORM = "(matrix.square().sum() + bias.square().sum()).sqrt()"
_BOTH = "factor * matrix, factor * bias"

CHECK = Check(
    name="training.clip", lesson="07_training", title="Clipping",
    answer="clip", returns=("matrix", "bias", "norm"), draw=_draw,
    points=1, difficulty=2, importance=3, minutes=8,
    slips=(
        Slip("each by itself", {
                 _BOTH:
                     "matrix * (max_norm / matrix.norm()).clamp(max=1), "
                     "bias * (max_norm / bias.norm()).clamp(max=1)",
             },
             "each gradient is clipped by its own norm: the direction of the step changes",
             "One norm over all numbers of both, one factor for both."),
        Slip("number by number",
             {_BOTH: "matrix.clamp(-max_norm, max_norm), bias.clamp(-max_norm, max_norm)"},
             "every number is cut at max_norm by itself: the direction of the step changes",
             "The step should point where it pointed, and be shorter."),
        Slip("the matrix's spectral norm",
             {"matrix.square().sum()": "torch.linalg.norm(matrix, 2).square()"},
             "the matrix is measured by its largest singular value: "
             "that is what ord=2 means for a matrix",
             "The root of the sum of *all* squares: Frobenius."),
        Slip("always scaled", {"if norm > max_norm": "if norm > 0"},
             "short gradients are made longer, up to max_norm",
             "What is to happen to a gradient that is short enough?"),
        Slip("never scaled", {_BOTH: "matrix, bias"}, "nothing is scaled",
             "Where the norm is above max_norm, multiply both by max_norm / norm."),
        Slip("norm after clipping", {f"{_BOTH}, norm": f"{_BOTH}, factor * norm"},
             "the norm that is returned is the one after clipping: it can never show what happened",
             "Return how long the gradient was before."),
        Slip("no root", {".sqrt()": ""}, "the norm is the sum of the squares, without the root",
             "Pythagoras: what follows the sum?"),
        Slip("sum of two norms", {_NORM: "matrix.norm() + bias.norm()"},
             "the norms of the two are added", "Add their squares, then take the root."),
        Slip("sum of sizes", {_NORM: "matrix.abs().sum() + bias.abs().sum()"},
             "the norm is the sum of all sizes, not the root of the sum of squares",
             "The length of a vector, by Pythagoras."),
        Slip("a mean of squares",
             {_NORM: "torch.cat((matrix.flatten(), bias)).square().mean().sqrt()"},
             "this is the root of the *mean* square; the length is the root of the sum",
             "Do not divide by the number of weights."),
        Slip("condition inverted", {"norm > max_norm": "norm < max_norm"},
             "what is short enough is scaled, and what is too long is not",
             "Which of the two is to change?"),
    ),
)
