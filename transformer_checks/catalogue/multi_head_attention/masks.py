"""heads.pytorch_mask: a padding mask in the layout and the convention of nn.MultiheadAttention."""

import torch
from torch import Generator, Tensor

from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _reference(real: Tensor, num_heads: int, queries: int) -> Tensor:
    rows = [sentence.expand(queries, -1) for sentence in real for _ in range(num_heads)]
    return ~torch.stack(rows)


def _real(*lengths: int, keys: int) -> Tensor:
    return torch.arange(keys) < torch.tensor(lengths)[:, None]


def _draw(generator: Generator) -> list[Case]:
    drawn = torch.randint(1, 8, (4,), generator=generator).tolist()
    between = torch.rand(3, 6, generator=generator) < 0.6
    between[0, 0], between[1, 0] = True, False  # at least two sentences differ
    return [
        Case(
            "2 sentences of 3 and 1 tokens, 2 heads, 1 query",
            {"real": _real(3, 1, keys=3), "num_heads": 2, "queries": 1},
        ),
        Case(
            "2 sentences, 3 heads, 4 queries",
            {"real": _real(2, 4, keys=4), "num_heads": 3, "queries": 4},
        ),
        Case(
            "3 sentences, 2 heads, 2 queries, 5 keys",
            {"real": _real(5, 2, 4, keys=5), "num_heads": 2, "queries": 2},
        ),
        Case(
            "padding on the left",
            {"real": _real(1, 3, keys=4).flip(-1), "num_heads": 3, "queries": 4},
        ),
        Case("one head", {"real": _real(1, 3, keys=3), "num_heads": 1, "queries": 2}),
        Case(
            "one sentence, nothing padded",
            {"real": _real(3, keys=3), "num_heads": 2, "queries": 3},
        ),
        Case("a sentence of padding", {"real": _real(0, 2, keys=3), "num_heads": 2, "queries": 3}),
        Case("4 sentences", {"real": _real(*drawn, 7, keys=7)[:4], "num_heads": 3, "queries": 7}),
        Case("padding between tokens", {"real": between, "num_heads": 2, "queries": 6}),
    ]


def _not_inverted(real: Tensor, num_heads: int, queries: int) -> Tensor:
    return ~_reference(real, num_heads, queries)


def _wrong_order(real: Tensor, num_heads: int, queries: int) -> Tensor:
    return ~real.repeat(num_heads, 1)[:, None].repeat(1, queries, 1)


def _wrong_order_not_inverted(real: Tensor, num_heads: int, queries: int) -> Tensor:
    return ~_wrong_order(real, num_heads, queries)


def _four_axes(real: Tensor, num_heads: int, queries: int) -> Tensor:
    return _reference(real, num_heads, queries).unflatten(0, (len(real), num_heads))


def _no_queries(real: Tensor, num_heads: int, queries: int) -> Tensor:
    return _reference(real, num_heads, 1)


def _transposed(real: Tensor, num_heads: int, queries: int) -> Tensor:
    return _reference(real, num_heads, queries).transpose(1, 2)


def _queries_hidden(real: Tensor, num_heads: int, queries: int) -> Tensor:
    blocked = _reference(real, num_heads, queries)
    if queries != real.shape[1]:
        return blocked
    return blocked | blocked.transpose(1, 2)


def _once_per_sentence(real: Tensor, num_heads: int, queries: int) -> Tensor:
    return _reference(real, 1, queries)


def _numbers(real: Tensor, num_heads: int, queries: int) -> Tensor:
    blocked = _reference(real, num_heads, queries)
    return torch.zeros(blocked.shape).masked_fill(blocked, -torch.inf)


PYTORCH_MASK = Check(
    name="heads.pytorch_mask",
    lesson="03_multi_head_attention",
    title="A padding mask for nn.MultiheadAttention",
    answer="mask_for_pytorch",
    returns=("mask",),
    points=2,
    difficulty=3,
    importance=3,
    minutes=10,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"attention"}),
    slips=(
        Misconception(
            "not inverted",
            _not_inverted,
            "True still means: may attend. PyTorch's layer would read it as blocked",
            "In an `attn_mask` of nn.MultiheadAttention True hides. Invert it.",
        ),
        Misconception(
            "heads before sentences",
            _wrong_order,
            "the sentences are repeated as a whole: row 1 belongs to sentence 1, where head 1 of "
            "sentence 0 is expected",
            "All heads of sentence 0 come first. `repeat` and `repeat_interleave` differ in this.",
        ),
        Misconception(
            "heads before sentences, not inverted",
            _wrong_order_not_inverted,
            "the rows are in the wrong order, and True still means: may attend",
            "First the order: all heads of sentence 0, then those of sentence 1. Then the meaning.",
        ),
        Misconception(
            "four axes",
            _four_axes,
            "batch and heads are two axes",
            "PyTorch's layer wants them as one axis of batch · heads.",
        ),
        Misconception(
            "one row for all queries",
            _no_queries,
            "there is one row for all queries; PyTorch's layer does not broadcast it",
            "Repeat the row for every query.",
        ),
        Misconception(
            "keys and queries transposed",
            _transposed,
            "the last two axes are (keys, queries)",
            "Rows belong to queries, columns to keys.",
        ),
        Misconception(
            "queries hidden too",
            _queries_hidden,
            "the rows of padded queries are blocked as well: with nothing to attend to, PyTorch's "
            "layer makes them NaN",
            "A padding mask hides keys. What a padded query computes is never used.",
        ),
        Misconception(
            "not repeated for the heads",
            _once_per_sentence,
            "there is one mask for each sentence, none for its further heads",
            "The first axis has batch · heads masks.",
        ),
        Misconception(
            "numbers instead of booleans",
            _numbers,
            "the mask holds zeros and minus infinities",
            "PyTorch would add these to the scores; here a boolean mask is asked for.",
        ),
    ),
    hints=(
        "Three things change: the meaning of True, the number of rows, and the number of masks.",
        "`real[:, None, :]` has shape (batch, 1, keys). `expand` makes the rows.",
        "`repeat_interleave(num_heads, dim=0)` puts all heads of a sentence next to each other.",
    ),
)
