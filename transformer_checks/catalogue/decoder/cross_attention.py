"""decoder.cross_attention: queries from the target, keys and values from the source."""

from typing import Any

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, whole
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "target": "batch tokens +d_model",
        "memory": "batch words +d_model",
        "source": "<5 batch words",
        "padding_id": "=3",
        "w_query": "-d_model d_head",
        "w_key": "-d_model d_head",
        "w_value": "-d_model d_value",
    }

    def inputs(
        draw: Draw, tokens: int, source: list[list[int]], padding_id: int, *widths: int
    ) -> dict[str, Any]:
        d_model, d_head, d_value = widths or (4, 2, 2)
        sizes = len(source), tokens, d_model, len(source[0]), d_head, d_value
        given = inputs_of(generator, axes, draw, *sizes)
        return given | {"source": torch.tensor(source), "padding_id": padding_id}

    one, two, empty = [[5, 8, 2]], [[5, 8, 2, 6], [7, 4, 0, 0]], [[6, 4], [0, 0]]
    hidden = inputs(tidy, 2, two, 0)
    hidden["memory"][1, 2:] = 1e20  # beside it no weight is small but 0
    hidden["target"][:, 1] = -hidden["target"][:, 0]  # to one of the two a hidden score is positive
    far = inputs(normal, 2, [[7, 0]], 0)
    far["target"][:, 1] = -far["target"][:, 0]  # whatever the weights, one score is negative
    # Large terms may cancel, so what they add up to has to be exact.
    far["memory"][:, 0] = 2.0**17 * (10 * far["memory"][:, 0]).round()
    far["w_value"] = whole(generator, 4, 2)
    # Products are 0 or far from it, also where the query is divided by √4 before.
    both = inputs(whole, 2, [[5, 8, 2, 6]], 0, 4, 4, 2)
    # Two of the four scores are large and positive, and not equal; all of it is exact.
    both["memory"] = 2.0**13 * both["memory"][:, :1] * torch.tensor([[1.0], [-1.0], [2.0], [-2.0]])
    return [
        Case("2 target tokens, 3 source tokens", inputs(tidy, 2, one, 0)),
        Case("3 target and 3 source tokens", inputs(tidy, 3, one, 0, 2, 2, 2)),
        Case("a source with padding", inputs(tidy, 2, two, 0, 3, 2, 4)),
        Case("large numbers in the padding of the memory", hidden),
        Case("a source that is all padding", inputs(tidy, 2, empty, 0)),
        Case("gradients beside an empty source", inputs(tidy, 2, empty, 0), gradients=True),
        Case("ids of a large vocabulary", inputs(tidy, 2, [[50_256, 7, 50_257]], 50_257)),
        Case("large numbers in the memory: a score far below zero", far),
        Case("large numbers in the memory: two scores far above zero", both),
        *ordinary(generator, axes=axes),
    ]


CHECK = Check(
    name="decoder.cross_attention",
    lesson="06_decoder",
    title="Cross-attention",
    answer="cross_attention",
    returns=("output", "weights"),
    draw=_draw,
    points=2,
    difficulty=3,
    importance=5,
    minutes=12,
    forbidden=frozenset({"attention"}),
)
