"""encoder.sentence_vector: one vector for a sentence, whatever stands in its padding."""

from typing import Any

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {"hidden": "batch tokens d_model", "tokens": "<5 batch tokens", "padding_id": "=3"}

    def inputs(
        draw: Draw, tokens: list[list[int]], d_model: int, padding_id: int = 0
    ) -> dict[str, Any]:
        given = inputs_of(generator, axes, draw, len(tokens), len(tokens[0]), d_model)
        return given | {"tokens": torch.tensor(tokens), "padding_id": padding_id}

    # A word that stands there twice counts twice.
    ragged = [[4, 9, 4, 2, 5], [6, 0, 0, 0, 0], [8, 1, 8, 0, 0]]
    millions = inputs(normal, ragged, 4)
    millions["hidden"][millions["tokens"] == 0] = 1e6
    zero = inputs(tidy, [[4, 9, 0]], 2)
    zero["hidden"][:, 0] = 0.0  # a real token counts even if its vector is zero
    empty = [[0, 0, 0], [7, 3, 0]]
    beside = "gradients beside a sentence that is all padding"
    return [
        Case("one sentence of 2 tokens, padded to 3", inputs(tidy, [[4, 9, 0]], 2)),
        Case("a real token whose vector is zero", zero),
        Case("padding id 3, and 0 is a word", inputs(tidy, [[4, 0, 3, 3], [7, 2, 5, 3]], 3, 3)),
        Case("a sentence that is all padding", inputs(tidy, empty, 2)),
        Case("two sentences that are all padding", inputs(tidy, [[0, 0], [0, 0]], 3)),
        Case("padding that holds a million", millions),
        Case(beside, inputs(normal, empty, 4), gradients=True),
        # Neither its ids nor their number fit into a byte.
        Case("one sentence of 300 tokens", inputs(normal, [list(range(1, 301))], 2)),
        Case("ids of a large vocabulary", inputs(tidy, [[340, 50_255, 50_256]], 2, 50_256)),
        *ordinary(generator, axes=axes),
    ]


CHECK = Check(
    name="encoder.sentence_vector",
    lesson="05_encoder",
    title="A vector for a sentence",
    answer="sentence_vector",
    returns=("vectors",),
    draw=_draw,
    points=1,
    difficulty=2,
    importance=4,
    minutes=8,
    rtol=1e-4,
)
