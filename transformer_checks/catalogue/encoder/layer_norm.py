"""encoder.layer_norm: every token by itself, over its own numbers."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception


def _over(x: Tensor, axes: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """The centred numbers and their biased variance over ``axes``."""
    centred = x - x.mean(axes, keepdim=True)
    return centred, centred.square().mean(axes, keepdim=True)


def _normalised(x: Tensor, eps: float, axes: tuple[int, ...] = (-1,)) -> Tensor:
    centred, variance = _over(x, axes)
    return centred / torch.sqrt(variance + eps)


def _reference(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return _normalised(x, eps) * gain + shift


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, shape: tuple[int, ...], eps: float, spread: float = 1.0, around: float = 0.0
    ) -> dict[str, Value]:
        return {
            "x": around + spread * draw(generator, *shape),
            "gain": 1.5 + 0.5 * draw(generator, shape[-1]).abs(),
            "shift": 0.5 + draw(generator, shape[-1]).abs(),
            "eps": eps,
        }

    plain = inputs(tidy, (1, 4), 1e-5)
    plain |= {"gain": torch.ones(4), "shift": torch.zeros(4)}
    flat = inputs(tidy, (2, 4), 1e-5)
    flat["x"] = torch.tensor([[3.0, 3.0, 3.0, 3.0], [1.0, 2.0, 3.0, 6.0]])
    return [
        Case("one token of width 4, gain 1, shift 0", plain),
        Case("2 tokens of width 4", inputs(tidy, (2, 4), 1e-5)),
        Case("eps as large as 0.1", inputs(tidy, (3, 4), 0.1)),
        Case("a token whose numbers are all the same", flat),
        Case("numbers that hardly differ, eps 0.2", inputs(normal, (3, 6), 0.2, spread=0.1)),
        Case("numbers around 500", inputs(normal, (6, 8), 1e-5, around=500.0)),
        Case("batch 2, 3 tokens, width 5", inputs(normal, (2, 3, 5), 1e-5)),
        Case("batch 2, heads 3, 4 tokens, width 6", inputs(normal, (2, 3, 4, 6), 0.1)),
        Case("gradients", inputs(normal, (2, 3, 5), 0.1), gradients=True),
    ]


def _unbiased(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + eps) * gain + shift


def _outside(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred, variance = _over(x, (-1,))
    return centred / (variance.sqrt() + eps) * gain + shift


def _outside_and_unbiased(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) * gain + shift


def _not_centred(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return x / torch.sqrt(_over(x, (-1,))[1] + eps) * gain + shift


def _no_root(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred, variance = _over(x, (-1,))
    return centred / (variance + eps) * gain + shift


def _only_centred(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    return _over(x, (-1,))[0] * gain + shift


def _difference_of_squares(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    mean = x.mean(-1, keepdim=True)
    variance = x.square().mean(-1, keepdim=True) - mean.square()
    return (x - mean) / torch.sqrt(variance.clamp(min=0.0) + eps) * gain + shift


def _floored(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred, variance = _over(x, (-1,))
    return centred / torch.sqrt(variance.clamp(min=eps)) * gain + shift


def _floored_deviation(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    centred, variance = _over(x, (-1,))
    return centred / variance.sqrt().clamp(min=eps) * gain + shift


def _constant_statistics(x: Tensor, gain: Tensor, shift: Tensor, eps: float) -> Tensor:
    mean = x.mean(-1, keepdim=True).detach()
    deviation = torch.sqrt(_over(x, (-1,))[1] + eps).detach()
    return (x - mean) / deviation * gain + shift


LAYER_NORM = Check(
    name="encoder.layer_norm",
    lesson="05_encoder",
    title="Layer norm",
    answer="layer_norm",
    returns=("output",),
    points=2,
    difficulty=2,
    importance=5,
    minutes=12,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"norm"}),
    # Around 500 float32 leaves a mean that is right to 2e-5.
    atol=2e-4,
    slips=(
        Misconception(
            "unbiased variance",
            _unbiased,
            "the variance is the unbiased one: the sum of squares is divided by d - 1",
            "Layer norm describes these d numbers and guesses at no others. What is divided by d?",
        ),
        Misconception(
            "eps outside the root",
            _outside,
            "eps is added to the standard deviation, outside the root",
            "At eps = 1e-5 nobody sees it, at 0.1 everybody. What stands under the root?",
        ),
        Misconception(
            "unbiased, and eps outside",
            _outside_and_unbiased,
            "two slips of one widely copied line: the standard deviation is the unbiased one, and "
            "eps stands outside the root",
            "Write the variance yourself, with a mean of squares; add eps; take the root.",
        ),
        Misconception(
            "eps missing",
            lambda x, gain, shift, eps: _normalised(x, 0.0) * gain + shift,
            "eps is not used: a token whose numbers are all the same gives 0/0",
            "Where must eps stand to keep the root away from zero?",
        ),
        Misconception(
            "a fixed eps",
            lambda x, gain, shift, eps: _normalised(x, 1e-5) * gain + shift,
            "eps is a fixed small number, whatever is asked for",
            "Use the argument.",
        ),
        Misconception(
            "eps as a floor",
            _floored,
            "the variance is clamped at eps; eps should be added to it",
            "At eps = 1e-5 nobody sees it, at 0.1 everybody. What stands under the root?",
        ),
        Misconception(
            "eps as a floor of the deviation",
            _floored_deviation,
            "the standard deviation is clamped at eps; eps should be added to the variance",
            "At eps = 1e-5 nobody sees it, at 0.1 everybody. What stands under the root?",
        ),
        Misconception(
            "over the tokens",
            lambda x, gain, shift, eps: _normalised(x, eps, (-2,)) * gain + shift,
            "each column is normalised over the tokens: a token now depends on its neighbours",
            "Change one token. Which rows of a layer norm may move?",
        ),
        Misconception(
            "over the batch",
            lambda x, gain, shift, eps: _normalised(x, eps, (0,)) * gain + shift,
            "the mean and the variance run over the first axis: that is a batch norm",
            "Each token is normalised over its own numbers. Which axis holds them?",
        ),
        Misconception(
            "over the last two axes",
            lambda x, gain, shift, eps: _normalised(x, eps, (-2, -1)) * gain + shift,
            "one mean and one variance serve a whole sentence",
            "Each token has a mean and a variance of its own.",
        ),
        Misconception(
            "over everything",
            lambda x, gain, shift, eps: _normalised(x, eps, tuple(range(x.dim()))) * gain + shift,
            "one mean and one variance serve all tokens of the batch",
            "Each token has a mean and a variance of its own. Give the axis, and keepdim.",
        ),
        Misconception(
            "gain forgotten",
            lambda x, gain, shift, eps: _normalised(x, eps) + shift,
            "the gain is missing: a gain of 1 hides it",
            "Each column has a factor of its own.",
        ),
        Misconception(
            "one plus the gain",
            lambda x, gain, shift, eps: _normalised(x, eps) * (1 + gain) + shift,
            "the factor is 1 + gain: some models store their gain that way, this exercise does not",
            "A gain of 1 must leave the normalised numbers as they are.",
        ),
        Misconception(
            "shift forgotten",
            lambda x, gain, shift, eps: _normalised(x, eps) * gain,
            "the shift is missing: a shift of 0 hides it",
            "What is added to each column in the end?",
        ),
        Misconception(
            "gain times shift",
            lambda x, gain, shift, eps: (_normalised(x, eps) + shift) * gain,
            "the shift is multiplied by the gain: it is added too early",
            "First scale, then shift.",
        ),
        Misconception(
            "mean not subtracted",
            _not_centred,
            "the numbers are divided by their spread, but their mean was never taken away",
            "What is the mean of a normalised token?",
        ),
        Misconception(
            "divided by the variance",
            _no_root,
            "the numbers are divided by the variance, not by its root",
            "Twice the input must give the same output. Does it?",
        ),
        Misconception(
            "only centred",
            _only_centred,
            "the mean is taken away, and nothing is divided",
            "What should the spread of a normalised token be?",
        ),
        Misconception(
            "a difference of squares",
            _difference_of_squares,
            "the variance is a mean of squares minus a square of the mean: around 500 two nearly "
            "equal large numbers cancel, and float32 has no digits left",
            "Subtract the mean first, then take the mean of the squares.",
        ),
        Misconception(
            "statistics detached",
            _constant_statistics,
            "the values are right, the gradient is not: mean and variance were detached",
            "They depend on x too. Leave out .detach(), .data, .item() and no_grad.",
        ),
    ),
    hints=(
        "Three numbers for each token: its mean, its variance, eps. All along the last axis, with "
        "`keepdim=True`.",
        "The variance is the mean of the squares of `x - mean`. `x.var(-1)` divides by d - 1 "
        "unless you say `correction=0`.",
        "`(x - mean) / torch.sqrt(variance + eps) * gain + shift`.",
    ),
)
