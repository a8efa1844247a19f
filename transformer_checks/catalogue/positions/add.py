"""positions.add: positions onto embeddings, from wherever the text goes on."""

import math

import torch
from torch import Generator, Tensor

from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.checks.cases import Case, Value
from transformer_checks.checks.exercise import Check, Misconception


def _reference(embeddings: Tensor, table: Tensor, start: int) -> Tensor:
    rows = [embeddings[:, i] + table[start + i] for i in range(embeddings.shape[1])]
    return torch.stack(rows, dim=1)


def _draw(generator: Generator) -> list[Case]:
    def inputs(
        draw: Draw, batch: int, tokens: int, d_model: int, max_tokens: int, start: int
    ) -> dict[str, Value]:
        return {
            "embeddings": draw(generator, batch, tokens, d_model),
            "table": draw(generator, max_tokens, d_model),
            "start": start,
        }

    return [
        Case("2 tokens, the first at position 0", inputs(tidy, 1, 2, 3, 4, 0)),
        Case("2 tokens after one that is cached", inputs(tidy, 1, 2, 3, 5, 1)),
        Case("1 new token at position 3", inputs(tidy, 2, 1, 2, 5, 3)),
        Case("batch 3, tokens 3, from position 4", inputs(normal, 3, 3, 4, 9, 4)),
        Case("batch 2, 5 tokens, up to the last row", inputs(normal, 2, 5, 6, 8, 3)),
        Case("gradients", inputs(normal, 2, 3, 4, 6, 2), gradients=True),
    ]


def _over_batch(embeddings: Tensor, table: Tensor, start: int) -> Tensor:
    batch = len(embeddings)
    return embeddings + table[start : start + batch, None]


ADD = Check(
    name="positions.add",
    lesson="04_positional_encoding",
    title="Positions from where the text goes on",
    answer="add_positions",
    returns=("embedded",),
    points=1,
    difficulty=1,
    importance=5,
    minutes=6,
    draw=_draw,
    reference=_reference,
    slips=(
        Misconception(
            "always from 0",
            lambda x, table, start: x + table[: x.shape[1]],
            "the positions start at 0, whatever `start` says: a cached text begins anew",
            "With three tokens read before, where does the next one stand?",
        ),
        Misconception(
            "one position for all",
            lambda x, table, start: x + table[start],
            "every token gets the row of position `start`",
            "Only the first token stands there. The others follow.",
        ),
        Misconception(
            "one too far",
            lambda x, table, start: x + table[(torch.arange(x.shape[1]) + start + 1) % len(table)],
            "the positions are one too large",
            "`start` is the position of the first new token itself, counted from 0.",
        ),
        Misconception(
            "start is taken for the last position",
            lambda x, table, start: x + table[torch.arange(x.shape[1]) + start - x.shape[1] + 1],
            "the last token stands at `start`, not the first",
            "`start` is the position of the first token in this call.",
        ),
        Misconception(
            "last rows of the table",
            lambda x, table, start: x + table[-x.shape[1] :],
            "the last rows of the table are added",
            "The table is as long as the longest text. This text need not reach its end.",
        ),
        Misconception(
            "the batch is counted",
            _over_batch,
            "positions count the sentences of the batch, not the tokens",
            "The axes are (batch, tokens, d_model). Every sentence starts at the same position.",
        ),
        Misconception(
            "multiplied",
            lambda x, table, start: x * table[start : start + x.shape[1]],
            "the embeddings are multiplied by the positions",
            "Positions are added.",
        ),
        Misconception(
            "embeddings scaled",
            lambda x, table, start: x * math.sqrt(x.shape[-1]) + table[start : start + x.shape[1]],
            "the embeddings were multiplied by √d_model first",
            "That belongs to the embedding, and depends on how it was initialised. Here only add.",
        ),
        Misconception(
            "positions alone",
            lambda x, table, start: table[start : start + x.shape[1]].expand(x.shape),
            "the embeddings are gone",
            "The result is the embeddings plus the rows.",
        ),
    ),
    hints=(
        "Which rows of the table belong to tokens that stand at start, start + 1, …?",
        "A slice of rows has shape (tokens, d_model). It adds to every sentence of the batch.",
        "`table[start : start + embeddings.shape[1]]`.",
    ),
)
