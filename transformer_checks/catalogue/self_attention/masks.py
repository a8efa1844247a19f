"""attention.causal_mask and attention.padding_mask: who may attend to whom."""

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _reference_causal(queries: int, keys: int) -> Tensor:
    rows = [[key <= query + keys - queries for key in range(keys)] for query in range(queries)]
    return torch.tensor(rows)


def _draw_causal(generator: Generator) -> list[Case]:
    # A random pair, so that no table of sizes passes for an answer.
    queries, earlier = torch.randint(2, 20, (2,), generator=generator).tolist()
    sizes = [(3, 3), (2, 4), (1, 5), (4, 4), (queries, queries + earlier), (2, 40)]
    return [Case(f"{q} queries, {k} keys", {"queries": q, "keys": k}) for q, k in sizes]


def _additive(queries: int, keys: int) -> Tensor:
    return torch.zeros(queries, keys).masked_fill(~_reference_causal(queries, keys), -torch.inf)


CAUSAL_MASK = Check(
    name="attention.causal_mask",
    lesson="02_self_attention",
    title="The causal mask",
    answer="causal_mask",
    returns=("mask",),
    points=1,
    difficulty=2,
    importance=5,
    minutes=8,
    draw=_draw_causal,
    reference=_reference_causal,
    slips=(
        Misconception(
            "aligned to the first key",
            lambda queries, keys: torch.ones(queries, keys).tril().bool(),
            "with fewer queries than keys the mask is aligned to the first key",
            "The queries are the last tokens. With 1 query and 5 keys, how many keys has it seen?",
        ),
        Misconception(
            "diagonal excluded",
            lambda queries, keys: torch.ones(queries, keys).tril(keys - queries - 1).bool(),
            "a token may not attend to itself: the first row is empty",
            "A token's own position is not the future.",
        ),
        Misconception(
            "upper triangle",
            lambda queries, keys: torch.ones(queries, keys).triu(keys - queries).bool(),
            "each query sees itself and the future, not the past",
            "Row 0 belongs to the first query. How many keys may it see?",
        ),
        Misconception(
            "inverted",
            lambda queries, keys: ~_reference_causal(queries, keys),
            "the mask is inverted: True marks what is blocked",
            "In this course True means: may attend.",
        ),
        Misconception(
            "additive mask",
            _additive,
            "this is an additive mask of 0 and -inf",
            "Return a boolean tensor, True = may attend. It can be combined with `&`.",
        ),
        Misconception(
            "ones and zeros",
            lambda queries, keys: _reference_causal(queries, keys).float(),
            "the mask holds numbers, not booleans",
            "A comparison gives a boolean tensor; `.bool()` makes one of numbers.",
        ),
        Misconception(
            "integers",
            lambda queries, keys: _reference_causal(queries, keys).int(),
            "the mask holds integers, not booleans",
            "A comparison gives a boolean tensor; `.bool()` makes one of numbers.",
        ),
        Misconception(
            "always square",
            lambda queries, keys: torch.ones(queries, queries).tril().bool(),
            "the mask is square whatever the number of keys",
            "One row for each query, one column for each key.",
        ),
        Misconception(
            "rows and columns swapped",
            lambda queries, keys: _reference_causal(queries, keys).T.contiguous(),
            "rows and columns are swapped",
            "One row for each query, one column for each key.",
        ),
        Misconception(
            "everything allowed",
            lambda queries, keys: torch.ones(queries, keys).bool(),
            "every query sees every key",
            "Which keys lie in the future of the first query?",
        ),
    ),
    hints=(
        "Write the mask of 3 queries and 3 keys on paper. Then the one of 1 query and 5 keys.",
        "The queries are the last of the tokens: query i stands at position i + keys - queries.",
        "Compare positions: `torch.arange(keys) <= position_of_query`, with the query positions "
        "as a column.",
    ),
)


def _reference_padding(tokens: Tensor, padding_id: int) -> Tensor:
    return tokens.ne(padding_id).unsqueeze(1).unsqueeze(1)


def _draw_padding(generator: Generator) -> list[Case]:
    long = torch.randint(10, 20, (4, 7), generator=generator)
    lengths = torch.randint(1, 8, (4,), generator=generator).tolist()
    for row, length in enumerate(lengths):
        long[row, length:] = 0
    return [
        Case(
            "two sentences, padding id 0",
            {"tokens": torch.tensor([[5, 8, 2], [7, 0, 0]]), "padding_id": 0},
        ),
        Case(
            "padding id 3, with smaller and larger ids beside it",
            {"tokens": torch.tensor([[1, 9, 2, 4], [6, 0, 3, 3]]), "padding_id": 3},
        ),
        Case(
            "padding on the left",
            {"tokens": torch.tensor([[0, 0, 6, 4, 2], [0, 9, 8, 1, 7]]), "padding_id": 0},
        ),
        Case("one sentence", {"tokens": torch.tensor([[4, 2, 0]]), "padding_id": 0}),
        Case(
            "padding between tokens",
            {"tokens": torch.tensor([[3, 0, 5, 4], [0, 6, 0, 2]]), "padding_id": 0},
        ),
        Case("four sentences of seven tokens", {"tokens": long, "padding_id": 0}),
        Case("a row of padding", {"tokens": torch.tensor([[4, 2], [1, 1]]), "padding_id": 1}),
    ]


def _both_sides(tokens: Tensor, padding_id: int) -> Tensor:
    keys = _reference_padding(tokens, padding_id)
    return keys & keys.transpose(-2, -1)


def _until_first_padding(tokens: Tensor, padding_id: int) -> Tensor:
    return ((tokens == padding_id).cumsum(-1) == 0)[:, None, None, :]


def _by_count(tokens: Tensor, padding_id: int) -> Tensor:
    lengths = (tokens != padding_id).sum(-1, keepdim=True)
    return (torch.arange(tokens.shape[-1]) < lengths)[:, None, None, :]


PADDING_MASK = Check(
    name="attention.padding_mask",
    lesson="02_self_attention",
    title="The padding mask",
    answer="padding_mask",
    returns=("mask",),
    points=1,
    difficulty=2,
    importance=4,
    minutes=8,
    draw=_draw_padding,
    reference=_reference_padding,
    slips=(
        Misconception(
            "inverted",
            lambda tokens, padding_id: ~_reference_padding(tokens, padding_id),
            "the mask is inverted: True marks the padding",
            "In this course True means: may attend.",
        ),
        Misconception(
            "padding id fixed at 0",
            lambda tokens, padding_id: _reference_padding(tokens, 0),
            "the padding id is taken to be 0",
            "The id is an argument: use it.",
        ),
        Misconception(
            "every larger id is a token",
            lambda tokens, padding_id: (tokens > padding_id)[:, None, None, :],
            "ids below the padding id are hidden too",
            "A token is real when its id differs from the padding id.",
        ),
        Misconception(
            "no axes for heads and queries",
            lambda tokens, padding_id: tokens != padding_id,
            "the mask has no axes for heads and queries, so it will not line up with the scores",
            "The scores are (batch, heads, queries, keys). Which two axes have size 1 here?",
        ),
        Misconception(
            "one axis missing",
            lambda tokens, padding_id: (tokens != padding_id)[:, None, :],
            "the mask has three axes: against (batch, heads, queries, keys) its batch lands on "
            "the heads",
            "The scores are (batch, heads, queries, keys). Which two axes have size 1 here?",
        ),
        Misconception(
            "hides queries instead of keys",
            lambda tokens, padding_id: _reference_padding(tokens, padding_id).transpose(-2, -1),
            "the mask hides queries: real tokens still attend to padding",
            "Padding must not be *read*. Is what is read a query or a key?",
        ),
        Misconception(
            "hides queries and keys",
            _both_sides,
            "the mask hides the padded queries too: their rows are empty",
            "What a padded query computes is never used. Hiding the keys is enough.",
        ),
        Misconception(
            "everything after the first padding",
            _until_first_padding,
            "everything after the first padding is hidden",
            "Sentences may be padded on the left. Judge each token by itself.",
        ),
        Misconception(
            "counts tokens",
            _by_count,
            "the real tokens are counted and taken to come first",
            "Sentences may be padded on the left. Judge each token by itself.",
        ),
        Misconception(
            "integers",
            lambda tokens, padding_id: _reference_padding(tokens, padding_id).int(),
            "the mask holds integers, not booleans",
            "A comparison gives a boolean tensor.",
        ),
        Misconception(
            "ones and zeros",
            lambda tokens, padding_id: _reference_padding(tokens, padding_id).float(),
            "the mask holds numbers, not booleans",
            "A comparison gives a boolean tensor.",
        ),
    ),
    hints=(
        "Which tokens are real? One comparison answers for the whole batch.",
        "The result must line up with scores of shape (batch, heads, queries, keys): "
        "it is the same for every head and every query.",
        "Index with None to insert axes: `real[:, None, None, :]`.",
    ),
)
