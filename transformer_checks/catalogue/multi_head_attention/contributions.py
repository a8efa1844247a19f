"""heads.contributions: what each head adds to the output of the layer."""

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception


def _reference(heads: Tensor, w_output: Tensor) -> Tensor:
    blocks = w_output.chunk(heads.shape[1], dim=0)
    parts = [head @ block for head, block in zip(heads.unbind(1), blocks, strict=True)]
    return torch.stack(parts, dim=1)


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, num_heads: int, length: int, d_head: int, d_model: int
    ) -> dict[str, Value]:
        return {
            "heads": draw(generator, batch, num_heads, length, d_head),
            "w_output": draw(generator, num_heads * d_head, d_model),
        }

    return [
        Case("2 heads, 1 token, d_head 1", inputs(tidy, 1, 2, 1, 1, 2)),
        Case("2 heads, 3 tokens, d_head 2", inputs(tidy, 1, 2, 3, 2, 4)),
        Case("batch 2, 3 heads, 4 tokens, d_head 5", inputs(normal, 2, 3, 4, 5, 15)),
        Case("d_model 7, not heads · d_head", inputs(normal, 2, 3, 4, 2, 7)),
        Case("one head", inputs(normal, 2, 1, 3, 4, 4)),
        Case("gradients", inputs(normal, 2, 3, 2, 2, 6), gradients=True),
    ]


def _first_block(heads: Tensor, w_output: Tensor) -> Tensor:
    return heads @ w_output[: heads.shape[-1]]


def _interleaved(heads: Tensor, w_output: Tensor) -> Tensor:
    return heads @ w_output.unflatten(0, (-1, heads.shape[1])).transpose(0, 1)


def _columns(heads: Tensor, w_output: Tensor) -> Tensor:
    return heads @ w_output.T.unflatten(0, (heads.shape[1], -1))


def _whole(heads: Tensor, w_output: Tensor) -> Tensor:
    output = heads.transpose(1, 2).flatten(2) @ w_output
    return output.unsqueeze(1).repeat(1, heads.shape[1], 1, 1)


def _shares(heads: Tensor, w_output: Tensor) -> Tensor:
    return _whole(heads, w_output) / heads.shape[1]


def _without(heads: Tensor, w_output: Tensor) -> Tensor:
    return _whole(heads, w_output) - _reference(heads, w_output)


def _running(heads: Tensor, w_output: Tensor) -> Tensor:
    return _reference(heads, w_output).cumsum(1)


def _summed(heads: Tensor, w_output: Tensor) -> Tensor:
    return _reference(heads, w_output).sum(1)


def _not_projected(heads: Tensor, w_output: Tensor) -> Tensor:
    batch, num_heads, length, d_head = heads.shape
    parts = heads.new_zeros(batch, num_heads, length, num_heads, d_head)
    for head in range(num_heads):
        parts[:, head, :, head] = heads[:, head]
    return parts.flatten(3)


CONTRIBUTIONS = Check(
    name="heads.contributions",
    lesson="03_multi_head_attention",
    title="What each head contributes",
    answer="head_contributions",
    returns=("contributions",),
    points=2,
    difficulty=3,
    importance=4,
    minutes=10,
    draw=_draw,
    reference=_reference,
    forbidden=frozenset({"attention"}),
    slips=(
        Misconception(
            "the first block for every head",
            _first_block,
            "every head is multiplied by the block of head 0",
            "Head h stands at h · d_head in the concatenation; so does its block.",
        ),
        Misconception(
            "blocks interleaved",
            _interleaved,
            "a head is multiplied by every num_heads-th row of w_output",
            "In the concatenation the numbers of one head stand side by side.",
        ),
        Misconception(
            "columns instead of rows",
            _columns,
            "the blocks are cut from the transposed matrix",
            "The concatenation multiplies *rows* of w_output. (An nn.Linear keeps the transpose: "
            "there they are columns.)",
        ),
        Misconception(
            "the whole output for each head",
            _whole,
            "each head is given the output of the whole layer",
            "Only the rows of w_output that meet this head's numbers count for it.",
        ),
        Misconception(
            "equal shares",
            _shares,
            "the output is shared out equally",
            "The contributions sum to the output, but they are not alike.",
        ),
        Misconception(
            "the output without the head",
            _without,
            "this is what is left when the head is taken away",
            "Asked for is the other part: what the head adds.",
        ),
        Misconception(
            "running sums",
            _running,
            "each head has the sum of all heads up to it",
            "One head at a time; the sum over heads is then the output.",
        ),
        Misconception(
            "already summed",
            _summed,
            "the contributions are already added up",
            "Keep the axis of heads: (batch, heads, tokens, d_model).",
        ),
        Misconception(
            "not projected",
            _not_projected,
            "w_output is not used: the head's numbers stand in their place, the rest is 0",
            "A head writes into all of d_model, through its block of w_output.",
        ),
    ),
    hints=(
        "Put all other heads to zero, merge, and multiply with w_output: that is the contribution.",
        "The zeros multiply rows of w_output that then do not matter. Which rows are left?",
        "`w_output.view(num_heads, d_head, d_model)` has a block for each head; `@` multiplies "
        "each head with its own.",
    ),
)
