"""encoder.sentence_vector: one vector for a sentence, whatever stands in its padding."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception


def _reference(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    rows = []
    for vectors, ids in zip(hidden, tokens, strict=True):
        real = vectors[ids != padding_id]
        rows.append(real.mean(0) if len(real) else vectors.sum(0) * 0)
    return torch.stack(rows)


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, tokens: list[list[int]], d_model: int, padding_id: int = 0
    ) -> dict[str, Value]:
        ids = torch.tensor(tokens)
        return {
            "hidden": draw(generator, *ids.shape, d_model),
            "tokens": ids,
            "padding_id": padding_id,
        }

    # With a word that stands there twice: both count.
    ragged = [[4, 9, 4, 2, 5], [6, 0, 0, 0, 0], [8, 1, 8, 0, 0]]
    padding = (torch.tensor(ragged) == 0)[..., None]
    hidden = normal(generator, 3, 5, 4).masked_fill(padding, 1e6)
    # A real token may be a row of zeros, and still it counts.
    zeros = tidy(generator, 1, 3, 2) * torch.tensor([[0.0], [1.0], [1.0]])
    return [
        Case("one sentence of 2 tokens, padded to 3", inputs(tidy, [[4, 9, 0]], 2)),
        Case(
            "a real token whose vector is zero",
            inputs(tidy, [[4, 9, 0]], 2) | {"hidden": zeros},
        ),
        Case("padding on the left", inputs(tidy, [[0, 4, 9], [7, 3, 5]], 2)),
        Case("padding id 3, and 0 is a word", inputs(tidy, [[4, 0, 3, 3], [7, 0, 5, 3]], 3, 3)),
        Case("a sentence that is all padding", inputs(tidy, [[0, 0, 0], [7, 3, 0]], 2)),
        Case("padding that holds a million", inputs(normal, ragged, 4) | {"hidden": hidden}),
        Case("gradients", inputs(normal, ragged, 4), gradients=True),
        Case(
            "gradients beside a sentence that is all padding",
            inputs(normal, [[0, 0, 0], [7, 3, 0]], 4),
            gradients=True,
        ),
    ]


def _real(tokens: Tensor, padding_id: int) -> Tensor:
    return (tokens != padding_id)[..., None]


def _sum(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    return hidden.masked_fill(~_real(tokens, padding_id), 0.0).sum(1)


def _not_a_number(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    return _sum(hidden, tokens, padding_id) / _real(tokens, padding_id).sum(1)


def _all_batch(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    average = _real(tokens, padding_id).sum() / len(tokens)
    return _sum(hidden, tokens, padding_id) / average.clamp(min=1)


def _nonzero(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    real = _real(tokens, padding_id) & hidden.abs().sum(-1, keepdim=True).bool()
    return _sum(hidden, tokens, padding_id) / real.sum(1).clamp(min=1)


def _one_more(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    return _sum(hidden, tokens, padding_id) / (_real(tokens, padding_id).sum(1) + 1)


def _largest(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    real = _real(tokens, padding_id)
    most = hidden.masked_fill(~real, -torch.inf).amax(1)
    return most.masked_fill(~real.any(1), 0.0)


def _inverted(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    padding = ~_real(tokens, padding_id)
    return hidden.masked_fill(~padding, 0.0).sum(1) / padding.sum(1).clamp(min=1)


def _last(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    last = (tokens != padding_id).sum(1).clamp(min=1) - 1
    return hidden[torch.arange(len(tokens)), last]


def _first_ones(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    length = (tokens != padding_id).sum(1)
    real = torch.arange(tokens.shape[1]) < length[:, None]
    total = hidden.masked_fill(~real[..., None], 0.0).sum(1)
    return total / length[:, None].clamp(min=1)


def _zero_is_padding(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    return _right(hidden, tokens, 0)


def _right(hidden: Tensor, tokens: Tensor, padding_id: int) -> Tensor:
    return _sum(hidden, tokens, padding_id) / _real(tokens, padding_id).sum(1).clamp(min=1)


SENTENCE_VECTOR = Check(
    name="encoder.sentence_vector",
    lesson="05_encoder",
    title="A vector for a sentence",
    answer="sentence_vector",
    returns=("vectors",),
    points=1,
    difficulty=2,
    importance=4,
    minutes=8,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "padding averaged in",
            lambda hidden, tokens, padding_id: hidden.mean(1),
            "the padding is part of the mean",
            "A mask keeps attention away from padding. The mean needs one too.",
        ),
        Misconception(
            "divided by the padded length",
            lambda hidden, tokens, padding_id: _sum(hidden, tokens, padding_id) / tokens.shape[1],
            "the padding is left out of the sum, but still counted: the divisor is too large",
            "How many tokens are in the sum?",
        ),
        Misconception(
            "a sum",
            _sum,
            "the vectors are summed, not averaged",
            "A sentence of twice the length should not get a vector of twice the size.",
        ),
        Misconception(
            "0/0 for an empty sentence",
            _not_a_number,
            "a sentence that is all padding gives 0/0",
            "Such a sentence gets zeros. What is the least you may divide by?",
        ),
        Misconception(
            "one divisor for the whole batch",
            _all_batch,
            "every sentence is divided by the mean length of the batch",
            "Each sentence has a length of its own. Which axis do you count along?",
        ),
        Misconception(
            "zero vectors not counted",
            _nonzero,
            "a token whose vector is zero is not counted",
            "What is padding is said by the ids, not by the vectors.",
        ),
        Misconception(
            "one added to the divisor",
            _one_more,
            "the divisor is one too large: that avoids 0/0 and changes every other sentence",
            "Clamp the count at 1 instead.",
        ),
        Misconception(
            "0 is always padding",
            _zero_is_padding,
            "the padding is taken to be 0, whatever padding_id says",
            "Use the argument.",
        ),
        Misconception(
            "padding only on the right",
            _first_ones,
            "the first tokens are averaged, as many as are real: right only if the padding comes "
            "last",
            "Choose tokens by their ids, not by their place.",
        ),
        Misconception(
            "the last token",
            _last,
            "the vector is that of the last real token",
            "The exercise asks for a mean over all real tokens.",
        ),
        Misconception(
            "the padding alone averaged",
            _inverted,
            "the mask is inverted: the padding alone is averaged",
            "True should mark the real tokens.",
        ),
        Misconception(
            "the largest of each column",
            _largest,
            "each column is the largest among the real tokens: that is another way to one vector",
            "The exercise asks for a mean over all real tokens.",
        ),
        Misconception(
            "the first token",
            lambda hidden, tokens, padding_id: hidden[:, 0],
            "the vector is that of the first token",
            "The exercise asks for a mean over all real tokens.",
        ),
        Misconception(
            "mean over the batch",
            lambda hidden, tokens, padding_id: hidden.mean(0),
            "the mean runs over the sentences",
            "One vector for each sentence: over which axis do you average?",
        ),
    ),
    hints=(
        "`(tokens != padding_id)[..., None]` is True for the real tokens and fits `hidden`.",
        "Fill the padding with 0, sum over the tokens, divide by the number of real tokens.",
        "Clamp that number at 1: `real.sum(1).clamp(min=1)`.",
    ),
)
