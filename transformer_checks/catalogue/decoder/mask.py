"""decoder.mask: the causal and the padding mask in one."""

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _causal(tokens: Tensor) -> Tensor:
    length = tokens.shape[1]
    position = torch.arange(length)
    return (position <= position[:, None]).expand(len(tokens), 1, length, length)


def _padding(tokens: Tensor, padding_id: int) -> Tensor:
    return tokens.ne(padding_id)[:, None, None, :]


def _reference(tokens: Tensor, padding_id: int) -> Tensor:
    return _causal(tokens) & _padding(tokens, padding_id)


def _draw(generator: Generator) -> list[Case]:
    long = torch.randint(10, 20, (4, 6), generator=generator)
    lengths = torch.randint(1, 7, (4,), generator=generator).tolist()
    for row, length in enumerate(lengths):
        long[row, length:] = 7
    cases = {
        "two sentences, padding on the right": (torch.tensor([[5, 8, 2], [7, 4, 0]]), 0),
        "padding on the left": (torch.tensor([[0, 0, 6, 4], [9, 8, 1, 7]]), 0),
        "padding id 3, with smaller and larger ids beside it": (
            torch.tensor([[0, 3, 2], [3, 9, 0], [4, 1, 3]]),
            3,
        ),
        "one sentence without padding": (torch.tensor([[4, 2, 9]]), 0),
        "four sentences, padding id 7": (long, 7),
    }
    return [
        Case(label, {"tokens": tokens, "padding_id": padding_id})
        for label, (tokens, padding_id) in cases.items()
    ]


def _padding_everywhere(tokens: Tensor, padding_id: int) -> Tensor:
    return _padding(tokens, padding_id).expand(_causal(tokens).shape)


def _queries_too(tokens: Tensor, padding_id: int) -> Tensor:
    keys = _padding(tokens, padding_id)
    return _causal(tokens) & keys & keys.mT


def _diagonal_excluded(tokens: Tensor, padding_id: int) -> Tensor:
    return _causal(tokens).tril(-1) & _padding(tokens, padding_id)


def _diagonal_kept(tokens: Tensor, padding_id: int) -> Tensor:
    return _reference(tokens, padding_id) | torch.eye(tokens.shape[1], dtype=torch.bool)


MASK = Check(
    name="decoder.mask",
    lesson="06_decoder",
    title="The mask of a decoder",
    answer="decoder_mask",
    returns=("mask",),
    points=1,
    difficulty=2,
    importance=5,
    minutes=8,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "causal mask alone",
            lambda tokens, padding_id: _causal(tokens).clone(),
            "the causal mask stands alone: padding that comes first is read by all",
            "Two conditions must hold for each pair. Which operator says *and*?",
        ),
        Misconception(
            "padding mask alone",
            _padding_everywhere,
            "the padding mask stands alone: every token sees its future",
            "Two conditions must hold for each pair. Which operator says *and*?",
        ),
        Misconception(
            "either mask will do",
            lambda tokens, padding_id: _causal(tokens) | _padding(tokens, padding_id),
            "the masks are combined with *or*: a pair is open if either mask allows it",
            "A pair is open only if both masks allow it.",
        ),
        Misconception(
            "inverted",
            lambda tokens, padding_id: ~_reference(tokens, padding_id),
            "the mask is inverted: True marks what is blocked",
            "In this course True means: may attend.",
        ),
        Misconception(
            "diagonal excluded",
            _diagonal_excluded,
            "a token may not attend to itself",
            "A token's own position is not the future.",
        ),
        Misconception(
            "diagonal always open",
            _diagonal_kept,
            "every token may attend to itself, padding too",
            "An empty row is allowed: attention gives it weights of 0.",
        ),
        Misconception(
            "future instead of past",
            lambda tokens, padding_id: _causal(tokens).mT & _padding(tokens, padding_id),
            "each query sees itself and the future, not the past",
            "Row 0 belongs to the first query. How many keys may it see?",
        ),
        Misconception(
            "hides queries instead of keys",
            lambda tokens, padding_id: _causal(tokens) & _padding(tokens, padding_id).mT,
            "the padding mask hides queries: real tokens still attend to padding",
            "Padding must not be *read*. Is what is read a query or a key?",
        ),
        Misconception(
            "hides queries and keys",
            _queries_too,
            "the rows of padded queries are closed as well",
            "What a padded query computes is never used. Hiding the keys is enough.",
        ),
        Misconception(
            "padding id fixed at 0",
            lambda tokens, padding_id: _reference(tokens, 0),
            "the padding id is taken to be 0",
            "The id is an argument: use it.",
        ),
        Misconception(
            "no axis for the heads",
            lambda tokens, padding_id: _reference(tokens, padding_id)[:, 0],
            "the mask has no axis for the heads: its batch would land on them",
            "The scores are (batch, heads, queries, keys). Which axis has size 1 here?",
        ),
    ),
    hints=(
        "Write both masks for the sentence [0, 0, 6, 4] with padding id 0, and mark the pairs "
        "that are open in both.",
        "The causal mask compares positions: `torch.arange(n) <= torch.arange(n)[:, None]`.",
        "`causal & real[:, None, None, :]` broadcasts to (batch, 1, tokens, tokens).",
    ),
)
