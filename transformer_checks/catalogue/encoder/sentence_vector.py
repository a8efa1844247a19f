"""encoder.sentence_vector: one vector for a sentence, whatever stands in its padding."""

import torch
from torch import Generator

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven


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

    def of_many_sizes() -> dict[str, Value]:
        ids = torch.randint(24, (17, 20), generator=generator)
        lengths = torch.randint(1, 20, (17, 1), generator=generator)
        ids[torch.arange(20) >= lengths] = 23
        return {"hidden": uneven(generator, 17, 20, 18), "tokens": ids, "padding_id": 23}

    # A word that stands there twice counts twice.
    ragged = [[4, 9, 4, 2, 5], [6, 0, 0, 0, 0], [8, 1, 8, 0, 0]]
    padding = (torch.tensor(ragged) == 0)[..., None]
    hidden = normal(generator, 3, 5, 4).masked_fill(padding, 1e6)
    # A real token counts even if its vector is zero.
    zeros = tidy(generator, 1, 3, 2) * torch.tensor([[0.0], [1.0], [1.0]])
    empty = [[0, 0, 0], [7, 3, 0]]
    return [
        Case("one sentence of 2 tokens, padded to 3", inputs(tidy, [[4, 9, 0]], 2)),
        Case("a real token whose vector is zero", inputs(tidy, [[4, 9, 0]], 2) | {"hidden": zeros}),
        Case("padding on the left", inputs(tidy, [[0, 4, 9], [7, 3, 5]], 2)),
        Case("padding id 3, and 0 is a word", inputs(tidy, [[4, 0, 3, 3], [7, 2, 5, 3]], 3, 3)),
        Case("a sentence that is all padding", inputs(tidy, empty, 2)),
        Case("two sentences that are all padding", inputs(tidy, [[0, 0], [0, 0]], 3)),
        Case("padding that holds a million", inputs(normal, ragged, 4) | {"hidden": hidden}),
        Case("sentences of one token or none", inputs(normal, [[4], [0], [7]], 1)),
        Case("gradients", inputs(normal, ragged, 4), gradients=True),
        Case(
            "gradients beside a sentence that is all padding",
            inputs(normal, empty, 4),
            gradients=True,
        ),
        Case("17 sentences of up to 19 tokens of many sizes, padding id 23", of_many_sizes()),
        # Neither its ids nor their number fit into a byte.
        Case("one sentence of 300 tokens", inputs(normal, [list(range(1, 301))], 2)),
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
