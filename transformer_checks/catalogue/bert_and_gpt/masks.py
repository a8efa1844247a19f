"""bert.mask: one body, two masks."""

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _square(tokens: Tensor, allowed: Tensor) -> Tensor:
    """Broadcast ``allowed`` to ``(batch, 1, tokens, tokens)``."""
    rows, length = tokens.shape
    return allowed.expand(rows, 1, length, length).clone()


def _real(tokens: Tensor, padding_id: int) -> Tensor:
    return (tokens != padding_id)[:, None, None, :]


def _past(tokens: Tensor, diagonal: int = 0) -> Tensor:
    return torch.ones(tokens.shape[1], tokens.shape[1]).tril(diagonal).bool()


def _reference(tokens: Tensor, padding_id: int, causal: bool) -> Tensor:
    allowed = _real(tokens, padding_id)
    if causal:
        allowed = allowed & _past(tokens)
    return _square(tokens, allowed)


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, tokens: Tensor, padding_id: int, causal: bool) -> Case:
        inputs = {"tokens": tokens, "padding_id": padding_id, "causal": causal}
        return Case(label, inputs)  # type: ignore[arg-type]

    small = torch.tensor([[5, 8, 6], [7, 9, 0]])
    small = torch.where(small > 0, small + torch.randint(5, (1,), generator=generator), 0)
    left = torch.tensor([[2, 2, 6, 4, 1], [2, 9, 8, 1, 7]])
    long = torch.randint(10, 20, (4, 7), generator=generator)
    for row, length in zip(long, torch.randint(2, 7, (4,), generator=generator), strict=True):
        row[length:] = 0
    return [
        case("two texts, both sides in view", small, 0, False),
        case("the same two texts, causal", small, 0, True),
        case("padding id 2, on the left, both sides in view", left, 2, False),
        case("padding id 2, on the left, causal", left, 2, True),
        case("four texts, both sides in view", long, 0, False),
        case("four texts, causal", long, 0, True),
    ]


def _padding_lost(tokens: Tensor, padding_id: int, causal: bool) -> Tensor:
    return _square(tokens, _past(tokens) if causal else _real(tokens, padding_id))


def _no_padding(tokens: Tensor, padding_id: int, causal: bool) -> Tensor:
    everything = torch.ones(tokens.shape[1], tokens.shape[1]).bool()
    return _square(tokens, _past(tokens) if causal else everything)


def _either(tokens: Tensor, padding_id: int, causal: bool) -> Tensor:
    real = _real(tokens, padding_id)
    return _square(tokens, real | _past(tokens) if causal else real)


def _with_past(diagonal: int, *, future: bool = False):  # type: ignore[no-untyped-def]
    def answer(tokens: Tensor, padding_id: int, causal: bool) -> Tensor:
        allowed = _real(tokens, padding_id)
        if causal:
            past = _past(tokens, diagonal)
            allowed = allowed & (past.T if future else past)
        return _square(tokens, allowed)

    return answer


def _queries(tokens: Tensor, padding_id: int, causal: bool) -> Tensor:
    allowed = _real(tokens, padding_id).mT
    return _square(tokens, allowed & _past(tokens) if causal else allowed)


def _queries_too(tokens: Tensor, padding_id: int, causal: bool) -> Tensor:
    real = _real(tokens, padding_id)
    return _reference(tokens, padding_id, causal) & real.mT


MASK = Check(
    name="bert.mask",
    lesson="08_bert_and_gpt",
    title="One body, two masks",
    answer="attention_mask",
    returns=("mask",),
    points=1,
    difficulty=2,
    importance=5,
    minutes=8,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "inverted",
            lambda tokens, padding_id, causal: ~_reference(tokens, padding_id, causal),
            "the mask is inverted: True marks what is hidden",
            "In this course True means: may attend.",
        ),
        Misconception(
            "causal instead of padding",
            _padding_lost,
            "the causal mask has replaced the padding mask: in a causal model padding is seen",
            "A pair is allowed if both masks allow it.",
        ),
        Misconception(
            "padding never hidden",
            _no_padding,
            "padding is seen by everyone",
            "Compare the tokens with padding_id.",
        ),
        Misconception(
            "either of the two",
            _either,
            "a pair is allowed if one of the masks allows it",
            "It must be allowed by both: & and not |.",
        ),
        Misconception(
            "always causal",
            lambda tokens, padding_id, causal: _reference(tokens, padding_id, True),
            "the mask is causal even for BERT",
            "With causal=False both sides are in view.",
        ),
        Misconception(
            "never causal",
            lambda tokens, padding_id, causal: _reference(tokens, padding_id, False),
            "the mask is bidirectional even for GPT",
            "With causal=True no query may see a later key.",
        ),
        Misconception(
            "flag inverted",
            lambda tokens, padding_id, causal: _reference(tokens, padding_id, not causal),
            "BERT gets the causal mask, and GPT the other",
            "causal=True is GPT: no query may see a later key.",
        ),
        Misconception(
            "upper triangle",
            _with_past(0, future=True),
            "each query sees itself and the future, not the past",
            "Row 0 belongs to the first query. How many keys may it see?",
        ),
        Misconception(
            "diagonal left out",
            _with_past(-1),
            "a token may not attend to itself: the first row is empty",
            "A token's own position is not the future.",
        ),
        Misconception(
            "one key too many",
            _with_past(1),
            "each query sees the next token: the very one it is asked for",
            "Row 0 belongs to the first query. How many keys may it see?",
        ),
        Misconception(
            "hides queries instead of keys",
            _queries,
            "the padding mask hides queries: real tokens still read padding",
            "Padding must not be *read*. Is what is read a query or a key?",
        ),
        Misconception(
            "hides queries and keys",
            _queries_too,
            "the rows of padded queries are hidden as well",
            "What a padded query computes is never used. Hide the keys alone.",
        ),
        Misconception(
            "padding id fixed at 0",
            lambda tokens, padding_id, causal: _reference(tokens, 0, causal),
            "the padding id is taken to be 0",
            "The id is an argument: use it.",
        ),
        Misconception(
            "no axis for heads",
            lambda tokens, padding_id, causal: _reference(tokens, padding_id, causal)[:, 0],
            "the mask has no axis for heads: its batch would land there",
            "The scores are (batch, heads, queries, keys). The mask is the same for all heads.",
        ),
        Misconception(
            "not square",
            lambda tokens, padding_id, causal: (
                _reference(tokens, padding_id, True) if causal else _real(tokens, padding_id)
            ),
            "without the causal mask there is one row for all queries; asked for is a row for each",
            "`expand` repeats it without copying.",
        ),
        Misconception(
            "integers",
            lambda tokens, padding_id, causal: _reference(tokens, padding_id, causal).int(),
            "the mask holds integers, not booleans",
            "A comparison gives a boolean tensor; `.bool()` makes one of numbers.",
        ),
    ),
    hints=(
        "Which keys are real? That is one row for each text, the same for all its queries.",
        "A causal mask is a lower triangle with its diagonal. Combine the two with &.",
        "`(tokens != padding_id)[:, None, None, :]` and `torch.ones(n, n).tril().bool()`; at the "
        "end `expand` to (batch, 1, n, n).",
    ),
)
