"""training.accumulate: many small batches, one step."""

import math

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import normal, tidy
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception

Result = tuple[Tensor, Tensor]


def _weighed(weights: Tensor, losses: Tensor, gradients: Tensor) -> Result:
    """Sums with one weight for each batch; a weight of 0 leaves a batch out, NaN or not."""
    kept = weights != 0
    weights, losses, gradients = weights[kept], losses[kept], gradients[kept]
    return (weights * losses).sum(), (weights[:, None] * gradients).sum(0)


def _reference(losses: Tensor, gradients: Tensor, tokens: Tensor) -> Result:
    return _weighed(tokens.to(losses.dtype) / tokens.sum(), losses, gradients)


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, tokens: list[int], weights: int) -> Case:
        draw = tidy if len(tokens) < 3 else normal
        counts = torch.tensor(tokens)
        losses = 1 + draw(generator, len(tokens)).abs()
        gradients = draw(generator, len(tokens), weights)
        losses[counts == 0] = math.nan
        gradients[counts == 0] = math.nan
        return Case(label, {"losses": losses, "gradients": gradients, "tokens": counts})

    return [
        case("two batches, of 1 and of 3 tokens", [1, 3], 2),
        case("three batches of 4 tokens", [4, 4, 4], 3),
        case("four batches of different sizes", [50, 7, 31, 3], 5),
        case("a batch that is all padding, with mean 0/0", [6, 0, 2], 3),
        case("one batch", [9], 4),
    ]


def _plain_mean(losses: Tensor, gradients: Tensor, tokens: Tensor) -> Result:
    kept = tokens > 0
    return losses[kept].mean(), gradients[kept].mean(0)


def _plain_sum(losses: Tensor, gradients: Tensor, tokens: Tensor) -> Result:
    return _weighed((tokens > 0).to(losses.dtype), losses, gradients)


ACCUMULATE = Check(
    name="training.accumulate",
    lesson="07_training",
    title="Gradient accumulation",
    answer="accumulate",
    returns=("loss", "gradient"),
    points=2,
    difficulty=2,
    importance=4,
    minutes=10,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "a mean of means",
            _plain_mean,
            "every batch has the same weight: a token of a small batch counts more",
            "Turn each mean back into the sum that it came from. What do you divide by then?",
        ),
        Misconception(
            "a sum of means",
            _plain_sum,
            "the means are added: with more batches the step grows",
            "The result should be what one large batch would have given.",
        ),
        Misconception(
            "not divided",
            lambda losses, gradients, tokens: _weighed(tokens.to(losses.dtype), losses, gradients),
            "these are the sums over all tokens, not their means",
            "Divide by the number of all tokens.",
        ),
        Misconception(
            "divided by the number of batches",
            lambda losses, gradients, tokens: _weighed(
                tokens.to(losses.dtype) / len(tokens), losses, gradients
            ),
            "the sum over the tokens is divided by the number of batches",
            "Divide by the number of all tokens.",
        ),
        Misconception(
            "loss weighed, gradient not",
            lambda losses, gradients, tokens: (
                _reference(losses, gradients, tokens)[0],
                _plain_mean(losses, gradients, tokens)[1],
            ),
            "the loss is weighed by tokens, the gradient is not: the curve looks right, the step "
            "is wrong",
            "The gradient of a weighed sum is the weighed sum of the gradients.",
        ),
        Misconception(
            "gradient weighed, loss not",
            lambda losses, gradients, tokens: (
                _plain_mean(losses, gradients, tokens)[0],
                _reference(losses, gradients, tokens)[1],
            ),
            "the gradient is weighed by tokens, the loss is not",
            "What is the loss of one large batch?",
        ),
        Misconception(
            "weighed by the root",
            lambda losses, gradients, tokens: _weighed(
                tokens.to(losses.dtype).sqrt() / tokens.sqrt().sum(), losses, gradients
            ),
            "the weights go with the root of the number of tokens",
            "A mean over n tokens is a sum over n tokens, divided by n.",
        ),
        Misconception(
            "inverse weights",
            lambda losses, gradients, tokens: _weighed(
                torch.where(tokens > 0, 1 / tokens, 0) / (1 / tokens[tokens > 0]).sum(),
                losses,
                gradients,
            ),
            "the smaller a batch, the more it counts",
            "A mean over n tokens stands for n of them.",
        ),
        Misconception(
            "only the last batch",
            lambda losses, gradients, tokens: (losses[-1], gradients[-1]),
            "only the last batch is used: were the gradients set to zero in between?",
            "Sum over the batches, then take one step.",
        ),
        Misconception(
            "NaN times zero",
            lambda losses, gradients, tokens: (
                (losses * tokens).sum() / tokens.sum(),
                (gradients * tokens[:, None]).sum(0) / tokens.sum(),
            ),
            "a batch of no tokens has weight 0, but 0 · NaN is NaN",
            "Leave such a batch out before you multiply.",
        ),
    ),
    hints=(
        "Batch i has `tokens[i]` tokens and the mean `losses[i]`: its sum is their product.",
        "Add the sums, divide by the number of all tokens. The same weights serve the gradients.",
        "A batch without tokens has a mean of 0/0: pick those with `tokens > 0` first.",
    ),
)
