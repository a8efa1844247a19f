"""training.clip: one length for the gradients of all weights."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor, Tensor]


def _norm(*gradients: Tensor) -> Tensor:
    return torch.cat([gradient.flatten() for gradient in gradients]).square().sum().sqrt()


def _scaled(matrix: Tensor, bias: Tensor, most: float, norm: Tensor) -> Result:
    factor = min(1.0, most / norm.item()) if norm > 0 else 1.0
    return factor * matrix, factor * bias, norm


def _reference(matrix: Tensor, bias: Tensor, max_norm: float) -> Result:
    return _scaled(matrix, bias, max_norm, _norm(matrix, bias))


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
    ]


def _each(matrix: Tensor, bias: Tensor, max_norm: float) -> Result:
    parts = [_scaled(part, part, max_norm, _norm(part))[0] for part in (matrix, bias)]
    return parts[0], parts[1], _norm(matrix, bias)


def _after(matrix: Tensor, bias: Tensor, max_norm: float) -> Result:
    matrix, bias, _ = _reference(matrix, bias, max_norm)
    return matrix, bias, _norm(matrix, bias)


def _always(matrix: Tensor, bias: Tensor, max_norm: float) -> Result:
    norm = _norm(matrix, bias)
    factor = max_norm / norm if norm > 0 else 1.0
    return factor * matrix, factor * bias, norm


def _not_zero(matrix: Tensor, bias: Tensor, max_norm: float) -> Result:
    norm = _norm(matrix, bias)
    factor = (max_norm / norm).clamp(max=1.0) if norm > 0 else norm / norm
    return factor * matrix, factor * bias, norm


CLIP = Check(
    name="training.clip",
    lesson="07_training",
    title="Clipping",
    answer="clip",
    returns=("matrix", "bias", "norm"),
    points=1,
    difficulty=2,
    importance=3,
    minutes=8,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "each by itself",
            _each,
            "each gradient is clipped by its own norm: the direction of the step changes",
            "One norm over all numbers of both, one factor for both.",
        ),
        Misconception(
            "number by number",
            lambda matrix, bias, max_norm: (
                matrix.clamp(-max_norm, max_norm),
                bias.clamp(-max_norm, max_norm),
                _norm(matrix, bias),
            ),
            "every number is cut at max_norm by itself: the direction of the step changes",
            "The step should point where it pointed, and be shorter.",
        ),
        Misconception(
            "always scaled",
            _always,
            "short gradients are made longer, up to max_norm",
            "What is to happen to a gradient that is short enough?",
        ),
        Misconception(
            "never scaled",
            lambda matrix, bias, max_norm: (matrix, bias, _norm(matrix, bias)),
            "nothing is scaled",
            "Where the norm is above max_norm, multiply both by max_norm / norm.",
        ),
        Misconception(
            "norm after clipping",
            _after,
            "the norm that is returned is the one after clipping: it can never show what happened",
            "Return how long the gradient was before.",
        ),
        Misconception(
            "no root",
            lambda matrix, bias, max_norm: _scaled(
                matrix, bias, max_norm, _norm(matrix, bias).square()
            ),
            "the norm is the sum of the squares, without the root",
            "Pythagoras: what follows the sum?",
        ),
        Misconception(
            "sum of two norms",
            lambda matrix, bias, max_norm: _scaled(
                matrix, bias, max_norm, _norm(matrix) + _norm(bias)
            ),
            "the norms of the two are added",
            "Add their squares, then take the root.",
        ),
        Misconception(
            "sum of sizes",
            lambda matrix, bias, max_norm: _scaled(
                matrix, bias, max_norm, matrix.abs().sum() + bias.abs().sum()
            ),
            "the norm is the sum of all sizes, not the root of the sum of squares",
            "The length of a vector, by Pythagoras.",
        ),
        Misconception(
            "the largest number",
            lambda matrix, bias, max_norm: _scaled(
                matrix, bias, max_norm, torch.maximum(matrix.abs().max(), bias.abs().max())
            ),
            "the norm is the largest number, not the length of them all",
            "The length of a vector, by Pythagoras.",
        ),
        Misconception(
            "a mean of squares",
            lambda matrix, bias, max_norm: _scaled(
                matrix,
                bias,
                max_norm,
                _norm(matrix, bias) / (matrix.numel() + bias.numel()) ** 0.5,
            ),
            "this is the root of the *mean* square; the length is the root of the sum",
            "Do not divide by the number of weights.",
        ),
        Misconception(
            "zero divided by zero",
            _not_zero,
            "a gradient of zero gives 0/0",
            "Where the norm is below max_norm nothing needs to be divided.",
        ),
    ),
    hints=(
        "The length of all numbers of both gradients together: the root of the sum of all squares.",
        "If it is above max_norm, both are multiplied by the same `max_norm / norm`.",
    ),
)
