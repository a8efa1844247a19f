"""decoder.cached_step: one new token, and the keys and values of those before it."""

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, spread, tidy, whole


def _draw(generator: Generator) -> list[Case]:
    def inputs(draw: Draw, batch: int, past: int, num_heads: int, d_head: int) -> dict[str, Value]:
        d_model = num_heads * d_head
        return {
            "new": draw(generator, batch, 1, d_model),
            "keys": draw(generator, batch, num_heads, past, d_head),
            "values": draw(generator, batch, num_heads, past, d_head),
            "w_query": draw(generator, d_model, d_model),
            "w_key": draw(generator, d_model, d_model),
            "w_value": draw(generator, d_model, d_model),
        }

    def of_many_sizes() -> dict[str, Value]:
        size = spread(36)
        names = ("w_query", "w_key", "w_value")
        return {
            "new": size * normal(generator, 1, 1, 36),
            "keys": normal(generator, 1, 2, 20, 18),
            "values": 5 * normal(generator, 1, 2, 20, 18),
            **{name: 0.2 * normal(generator, 36, 36) / size[:, None] for name in names},
        }

    large = inputs(whole, 1, 4, 2, 2)  # products of whole numbers are 0 or far from it
    assert isinstance(large["keys"], Tensor)
    # Two of the four scores are large and positive, and not equal.
    large["keys"] = 1e4 * large["keys"][:, :, :1] * torch.tensor([[1.0], [-1.0], [2.0], [-2.0]])
    zero = inputs(tidy, 1, 3, 2, 2)
    assert isinstance(zero["keys"], Tensor)
    zero["keys"][:, :, 1] = 0.0
    return [
        Case("2 cached tokens, one head of width 2", inputs(tidy, 1, 2, 1, 2)),
        Case("3 cached tokens, 2 heads of width 2", inputs(tidy, 1, 3, 2, 2)),
        Case("an empty cache: the first token of two texts", inputs(tidy, 2, 0, 2, 2)),
        Case("1 cached token", inputs(tidy, 1, 1, 2, 2)),
        Case("batch 2, 5 cached tokens, 3 heads of width 4", inputs(normal, 2, 5, 3, 4)),
        Case("batch 2, 4 cached tokens, 3 heads of width 2", inputs(normal, 2, 4, 3, 2)),
        Case("large numbers in the cached keys", large),
        Case("20 cached tokens, 2 heads of width 18, columns of many sizes", of_many_sizes()),
        Case("a cached key of zeros", zero),
        Case("1100 cached tokens", inputs(normal, 1, 1100, 1, 2)),
        Case("a new token of zeros", inputs(tidy, 1, 2, 2, 2) | {"new": torch.zeros(1, 1, 4)}),
        Case("batch 3, one cached token, one head of width 1", inputs(normal, 3, 1, 1, 1)),
        Case("batch 17, 2 cached tokens", inputs(normal, 17, 2, 2, 2)),
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
