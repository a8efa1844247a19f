"""decoder.cached_step: one new token, and the keys and values of those before it."""

from functools import partial

import torch
from torch import Generator

from notebook_judge.checks.cases import Case
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import moderate, normal, tidy, whole
from transformer_checks.catalogue.ordinary import inputs_of, ordinary


def _draw(generator: Generator) -> list[Case]:
    axes = {
        "new": "batch 1 +heads*d_head",
        "keys": "batch heads past d_head",
        "values": "batch heads past d_head",
        "w_query": "-heads*d_head heads*d_head",
        "w_key": "-heads*d_head heads*d_head",
        "w_value": "-heads*d_head heads*d_head",
    }
    inputs = partial(inputs_of, generator, axes)
    large = inputs(whole, 1, 2, 2, 4)  # products of whole numbers are 0 or far from it
    # Two of the four scores are large and positive, and not equal.
    large["keys"] = 1e4 * large["keys"][:, :, :1] * torch.tensor([[1.0], [-1.0], [2.0], [-2.0]])
    return [
        Case("2 cached tokens, one head of width 2", inputs(tidy, 1, 1, 2, 2)),
        Case("3 cached tokens, 2 heads of width 2", inputs(tidy, 1, 2, 2, 3)),
        Case("an empty cache: the first token of two texts", inputs(tidy, 2, 2, 2, 0)),
        Case("large numbers in the cached keys", large),
        Case("1100 cached tokens", inputs(normal, 1, 1, 2, 1100)),
        *ordinary(generator, moderate, gradients=False, axes=axes),
    ]


CHECK = Check(
    name="decoder.cached_step",
    lesson="06_decoder",
    title="One step with a cache",
    answer="cached_step",
    returns=("output", "keys", "values"),
    draw=_draw,
    points=3,
    difficulty=3,
    importance=5,
    minutes=15,
    forbidden=frozenset({"attention"}),
)
