"""heads.split and heads.merge: between (batch, tokens, d_model) and heads."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import normal
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Misconception


def _reference(tokens: Tensor, num_heads: int) -> Tensor:
    return torch.stack(tokens.chunk(num_heads, dim=-1), dim=1)


def _numbered(*shape: int) -> Tensor:
    """Numbers that say where they stand: 23 is number 3 of token 2."""
    tokens = torch.arange(shape[-2]).unsqueeze(1) * 10 + torch.arange(shape[-1])
    return tokens.float().expand(shape).clone()


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, shape: tuple[int, ...], num_heads: int) -> Case:
        return Case(label, {"tokens": normal(generator, *shape), "num_heads": num_heads})

    return [
        Case(
            "1 sentence, 3 tokens, d_model 4, 2 heads",
            {"tokens": _numbered(1, 3, 4), "num_heads": 2},
        ),
        case("2 sentences, 5 tokens, d_model 12, 3 heads", (2, 5, 12), 3),
        case("3 sentences, 4 tokens, d_model 10, 5 heads", (3, 4, 10), 5),
        case("one head", (2, 3, 4), 1),
        case("as many heads as numbers", (2, 3, 4), 4),
        case("one token", (2, 1, 6), 3),
    ]


def _view_alone(tokens: Tensor, num_heads: int) -> Tensor:
    batch, length, d_model = tokens.shape
    return tokens.reshape(batch, num_heads, length, d_model // num_heads)


def _not_transposed(tokens: Tensor, num_heads: int) -> Tensor:
    return tokens.unflatten(-1, (num_heads, -1))


def _interleaved(tokens: Tensor, num_heads: int) -> Tensor:
    return tokens.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)


def _sizes_swapped(tokens: Tensor, num_heads: int) -> Tensor:
    return tokens.unflatten(-1, (-1, num_heads)).transpose(1, 2)


def _last_axes_swapped(tokens: Tensor, num_heads: int) -> Tensor:
    return tokens.unflatten(-1, (num_heads, -1)).permute(0, 2, 3, 1)


def _transposed_first(tokens: Tensor, num_heads: int) -> Tensor:
    batch, length, d_model = tokens.shape
    return tokens.transpose(1, 2).reshape(batch, num_heads, length, d_model // num_heads)


def _heads_first(tokens: Tensor, num_heads: int) -> Tensor:
    return _reference(tokens, num_heads).transpose(0, 1)


def _folded(tokens: Tensor, num_heads: int) -> Tensor:
    return _reference(tokens, num_heads).flatten(0, 1)


def _copies(tokens: Tensor, num_heads: int) -> Tensor:
    return tokens.unsqueeze(1).repeat(1, num_heads, 1, 1)


SPLIT = Check(
    name="heads.split",
    lesson="03_multi_head_attention",
    title="Split into heads",
    answer="split_heads",
    returns=("heads",),
    points=1,
    difficulty=2,
    importance=5,
    minutes=6,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"attention"}),
    slips=(
        Misconception(
            "view alone",
            _view_alone,
            "a reshape alone gives the right shape, and each head pieces of other tokens",
            "A reshape never moves numbers. Cut the last axis first, then move the axis of heads.",
        ),
        Misconception(
            "not transposed",
            _not_transposed,
            "the axis of heads stands after the tokens: (batch, tokens, heads, d_head)",
            "A matrix product works on the last two axes; those must be tokens and d_head.",
        ),
        Misconception(
            "heads interleaved",
            _interleaved,
            "head 0 holds every num_heads-th number of a token instead of the first d_head",
            "The last axis is cut into (num_heads, d_head), in this order.",
        ),
        Misconception(
            "heads and d_head swapped",
            _sizes_swapped,
            "num_heads and d_head are exchanged: there are d_head heads of width num_heads",
            "How many heads are asked for, and what is left for the width of each?",
        ),
        Misconception(
            "last axes swapped",
            _last_axes_swapped,
            "tokens and d_head are exchanged: (batch, heads, d_head, tokens)",
            "Only the axis of heads has to move. The tokens keep their place before d_head.",
        ),
        Misconception(
            "transposed before the cut",
            _transposed_first,
            "the tokens are transposed before the last axis is cut, and what is cut is not d_model",
            "Cut d_model while it is the last axis. Move axes afterwards.",
        ),
        Misconception(
            "heads before the batch",
            _heads_first,
            "the axis of heads stands before the batch",
            "The order is (batch, heads, tokens, d_head).",
        ),
        Misconception(
            "heads folded into the batch",
            _folded,
            "batch and heads are one axis",
            "Keep four axes: (batch, heads, tokens, d_head).",
        ),
        Misconception(
            "a copy for each head",
            _copies,
            "each head has all of d_model",
            "A head is d_model // num_heads wide.",
        ),
    ),
    hints=(
        "Two steps: cut the last axis into (num_heads, d_head), then move the axis of heads.",
        "`view` or `reshape` cuts; `transpose` moves. Write the shape behind each.",
        "`tokens.view(batch, length, num_heads, d_head)` has the tokens on axis 1 and the heads "
        "on axis 2. Exchange the two.",
    ),
)


def _reference_merge(heads: Tensor) -> Tensor:
    return torch.cat(list(heads.unbind(1)), dim=-1)


def _draw_merge(generator: Generator) -> list[Case]:
    def case(label: str, *shape: int) -> Case:
        return Case(label, {"heads": normal(generator, *shape)})

    small = _reference(_numbered(1, 3, 4), 2)
    split = normal(generator, 2, 4, 6).unflatten(-1, (3, 2)).transpose(1, 2)
    return [
        Case("1 sentence, 2 heads, 3 tokens, d_head 2", {"heads": small}),
        case("2 sentences, 3 heads, 5 tokens, d_head 4", 2, 3, 5, 4),
        case("3 sentences, 5 heads, 4 tokens, d_head 2", 3, 5, 4, 2),
        Case("heads fresh from a split, not contiguous", {"heads": split}),
        case("one head", 2, 1, 3, 4),
        case("d_head 1", 2, 4, 3, 1),
        case("one token", 2, 3, 1, 2),
    ]


def _merged_by_view(heads: Tensor) -> Tensor:
    batch, num_heads, length, d_head = heads.shape
    return heads.reshape(batch, length, num_heads * d_head)


def _needs_reshape(heads: Tensor) -> Tensor:
    batch, num_heads, length, d_head = heads.shape
    return heads.transpose(1, 2).view(batch, length, num_heads * d_head)


def _interleaved_merge(heads: Tensor) -> Tensor:
    return heads.permute(0, 2, 3, 1).flatten(2)


def _wrong_axes(heads: Tensor) -> Tensor:
    batch, num_heads, length, d_head = heads.shape
    return heads.transpose(2, 3).reshape(batch, length, num_heads * d_head)


def _still_apart(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2)


def _end_to_end(heads: Tensor) -> Tensor:
    return heads.flatten(1, 2)


def _summed(heads: Tensor) -> Tensor:
    return heads.sum(1)


def _averaged(heads: Tensor) -> Tensor:
    return heads.mean(1)


MERGE = Check(
    name="heads.merge",
    lesson="03_multi_head_attention",
    title="Merge heads",
    answer="merge_heads",
    returns=("tokens",),
    points=1,
    difficulty=2,
    importance=5,
    minutes=6,
    draw=_draw_merge,
    reference=_reference_merge,
    forbidden=frozenset({"attention"}),
    slips=(
        Misconception(
            "merged without a transpose",
            _merged_by_view,
            "the heads are merged without moving the token axis back: a row holds numbers of "
            "several tokens",
            "Undo the split step by step: which axis moved last?",
        ),
        Misconception(
            "view after a transpose",
            _needs_reshape,
            "`view` fails after a transpose: the numbers no longer lie in memory in that order",
            "`reshape` copies where it must; `.contiguous()` before `view` does the same.",
        ),
        Misconception(
            "heads interleaved",
            _interleaved_merge,
            "the heads alternate number by number instead of standing side by side",
            "Before the reshape the axes must be (batch, tokens, heads, d_head).",
        ),
        Misconception(
            "other axes exchanged",
            _wrong_axes,
            "tokens and d_head are exchanged instead of heads and tokens",
            "Before the reshape the axes must be (batch, tokens, heads, d_head).",
        ),
        Misconception(
            "heads still apart",
            _still_apart,
            "heads and d_head are still two axes",
            "One more step makes (heads, d_head) a single axis of d_model.",
        ),
        Misconception(
            "heads end to end",
            _end_to_end,
            "the heads are put one after the other along the tokens",
            "There are as many tokens as before. It is the rows that become wider.",
        ),
        Misconception(
            "heads summed",
            _summed,
            "the heads are added up",
            "Side by side: a token has num_heads times d_head numbers again.",
        ),
        Misconception(
            "heads averaged",
            _averaged,
            "the heads are averaged",
            "Side by side: a token has num_heads times d_head numbers again.",
        ),
    ),
    hints=(
        "Undo the split, last step first.",
        "After `transpose(1, 2)` the axes are (batch, tokens, heads, d_head).",
        "Then `reshape(batch, length, num_heads * d_head)`. `view` refuses here: try it, and read "
        "what it says.",
    ),
)
