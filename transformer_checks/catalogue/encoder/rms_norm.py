"""encoder.rms_norm: layer norm without its mean and its shift."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception


def _mean_square(x: Tensor, axes: tuple[int, ...] = (-1,)) -> Tensor:
    return (x * x).mean(axes, keepdim=True)


def _reference(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    return x / torch.sqrt(_mean_square(x) + eps) * gain


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, shape: tuple[int, ...], eps: float, spread: float = 1.0
    ) -> dict[str, Value]:
        return {
            "x": spread * (0.5 + draw(generator, *shape)),
            "gain": 1.5 + 0.5 * draw(generator, shape[-1]).abs(),
            "eps": eps,
        }

    plain = inputs(tidy, (1, 4), 1e-5) | {"gain": torch.ones(4)}
    zero = inputs(tidy, (2, 4), 1e-5)
    zero["x"] = torch.tensor([[0.0, 0.0, 0.0, 0.0], [1.0, -1.0, 3.0, 5.0]])
    return [
        Case("one token of width 4, gain 1", plain),
        Case("2 tokens of width 4", inputs(tidy, (2, 4), 1e-5)),
        Case("eps as large as 0.1", inputs(tidy, (3, 4), 0.1)),
        Case("a token of zeros", zero),
        Case("small numbers, eps 0.01", inputs(normal, (3, 6), 0.01, spread=0.05)),
        Case("batch 2, 3 tokens, width 5", inputs(normal, (2, 3, 5), 1e-5)),
        Case("gradients", inputs(normal, (2, 3, 5), 0.1), gradients=True),
    ]


def _centred(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    return _reference(x - x.mean(-1, keepdim=True), gain, eps)


def _layer_normed(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    variance = x.var(-1, keepdim=True, correction=0)
    return x / torch.sqrt(variance + eps) * gain


def _over(x: Tensor, gain: Tensor, eps: float, axes: tuple[int, ...]) -> Tensor:
    return x / torch.sqrt(_mean_square(x, axes) + eps) * gain


RMS_NORM = Check(
    name="encoder.rms_norm",
    lesson="05_encoder",
    title="RMS norm",
    answer="rms_norm",
    returns=("output",),
    points=1,
    difficulty=1,
    importance=4,
    minutes=6,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"norm"}),
    slips=(
        Misconception(
            "mean subtracted",
            _centred,
            "the mean is subtracted: that is a layer norm without its shift",
            "What makes RMS norm cheaper than layer norm is what it leaves out.",
        ),
        Misconception(
            "divided by the standard deviation",
            _layer_normed,
            "the divisor is the standard deviation: a mean was subtracted under the root",
            "Root, mean, square: read the name from right to left.",
        ),
        Misconception(
            "gain forgotten",
            lambda x, gain, eps: _reference(x, torch.ones_like(gain), eps),
            "the gain is missing: a gain of 1 hides it",
            "Each column has a factor of its own.",
        ),
        Misconception(
            "one plus the gain",
            lambda x, gain, eps: _reference(x, 1 + gain, eps),
            "the factor is 1 + gain: some models store their gain that way, this exercise does not",
            "A gain of 1 must leave the normalised numbers as they are.",
        ),
        Misconception(
            "length instead of root mean square",
            lambda x, gain, eps: x / torch.sqrt(x.square().sum(-1, keepdim=True) + eps) * gain,
            "each token is divided by its length: the squares are summed, not averaged",
            "The root mean square of the result should be 1, whatever the width.",
        ),
        Misconception(
            "divided by the mean square",
            lambda x, gain, eps: x / (_mean_square(x) + eps) * gain,
            "the root is missing",
            "Twice the input must give the same output. Does it?",
        ),
        Misconception(
            "divided by the mean magnitude",
            lambda x, gain, eps: x / (x.abs().mean(-1, keepdim=True) + eps) * gain,
            "each token is divided by the mean of its magnitudes",
            "Root, mean, square: read the name from right to left.",
        ),
        Misconception(
            "square of the mean",
            lambda x, gain, eps: x / torch.sqrt(x.mean(-1, keepdim=True) ** 2 + eps) * gain,
            "the mean is squared, where the mean of the squares belongs",
            "Root, mean, square: read the name from right to left.",
        ),
        Misconception(
            "eps outside the root",
            lambda x, gain, eps: x / (_mean_square(x).sqrt() + eps) * gain,
            "eps is added to the root mean square, outside the root",
            "At eps = 1e-5 nobody sees it, at 0.1 everybody. What stands under the root?",
        ),
        Misconception(
            "eps missing",
            lambda x, gain, eps: _reference(x, gain, 0.0),
            "eps is not used: a token of zeros gives 0/0",
            "Where must eps stand to keep the root away from zero?",
        ),
        Misconception(
            "a fixed eps",
            lambda x, gain, eps: _reference(x, gain, 1e-5),
            "eps is a fixed small number, whatever is asked for",
            "Use the argument.",
        ),
        Misconception(
            "eps as a floor",
            lambda x, gain, eps: x / torch.sqrt(_mean_square(x).clamp(min=eps)) * gain,
            "the mean square is clamped at eps; eps should be added to it",
            "At eps = 1e-5 nobody sees it, at 0.1 everybody. What stands under the root?",
        ),
        Misconception(
            "over the tokens",
            lambda x, gain, eps: _over(x, gain, eps, (-2,)),
            "the mean of the squares runs over the tokens",
            "Each token is normalised over its own numbers. Which axis holds them?",
        ),
        Misconception(
            "over everything",
            lambda x, gain, eps: _over(x, gain, eps, tuple(range(x.dim()))),
            "one root mean square serves all tokens",
            "Each token has a root mean square of its own. Give the axis, and keepdim.",
        ),
        Misconception(
            "divisor detached",
            lambda x, gain, eps: x / torch.sqrt(_mean_square(x) + eps).detach() * gain,
            "the values are right, the gradient is not: the divisor was detached",
            "It depends on x too. Leave out .detach(), .data, .item() and no_grad.",
        ),
    ),
    hints=(
        "Square the numbers of a token, take their mean, add eps, take the root.",
        "`x.square().mean(-1, keepdim=True)` is one number for each token.",
        "Divide x by that root, then multiply by the gain.",
    ),
)
