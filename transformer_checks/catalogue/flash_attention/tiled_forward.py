"""flash.tiled_forward: attention tile by tile, in little memory."""

import math
from typing import Any

import torch
from torch import Generator, Tensor

from notebook_judge.checks.cases import Case, Value
from notebook_judge.checks.exercise import Check
from transformer_checks.catalogue.draws import Draw, normal, tidy, uneven_columns
from transformer_checks.catalogue.ordinary import inputs_of, ordinary

AXES = {"query": "... queries +width", "key": "... keys -width", "value": "... keys width"}


def _inputs(
    generator: Generator,
    draw: Draw,
    sizes: tuple[int, int, int, int],
    causal: bool = False,
    width: int = 4,
    front: tuple[int, ...] = (),
) -> dict[str, Any]:
    queries, keys, tile_queries, tile_keys = sizes
    drawn = inputs_of(generator, AXES, draw, queries, width, keys, front=front)
    return {**drawn, "tile_queries": tile_queries, "tile_keys": tile_keys, "causal": causal}


def _scored(inputs: dict[str, Any], levels: Tensor) -> dict[str, Any]:
    """Shift all scores of key j by about ``levels[j]``, through a column of its own."""
    inputs["query"][..., 0] = math.sqrt(inputs["query"].shape[-1])
    inputs["key"][..., 0] = levels
    return inputs


def _draw(generator: Generator) -> list[Case]:
    g = generator
    rising = _scored(_inputs(g, normal, (5, 24, 4, 8)), torch.arange(24.0))
    falling = _scored(_inputs(g, normal, (5, 24, 4, 8)), -torch.arange(24.0))
    low = _scored(_inputs(g, normal, (5, 21, 4, 8)), torch.full((21,), -200.0))
    high = _scored(_inputs(g, normal, (5, 21, 4, 8)), torch.full((21,), 200.0))

    peak = torch.tensor([11.0] * 8 + [0.0] * 16)  # beside it little is left of a key, but loud
    rise = _scored(_inputs(g, normal, (5, 24, 4, 8)), peak.flip(0))
    fall = _scored(_inputs(g, normal, (5, 24, 4, 8)), peak)
    rise["value"][:16] *= 1e4
    fall["value"][8:] *= 1e4

    def causal_scored(levels: list[float]) -> dict[str, Any]:
        return _scored(_inputs(g, normal, (4, 4, 2, 2), True), torch.tensor(levels))

    large = (289, 321, 96, 32)
    cases = [
        Case("2 queries, 4 keys, tiles of 1 by 2", _inputs(g, tidy, (2, 4, 1, 2), width=2)),
        Case("causal, 4 queries, 4 keys", _inputs(g, tidy, (4, 4, 2, 2), True, width=2)),
        Case("scores that rise from tile to tile", rising),
        Case("scores that fall from tile to tile", falling),
        Case("3 keys in tiles of 2", _inputs(g, tidy, (2, 3, 2, 2), width=2)),
        Case("5 queries in tiles of 2", _inputs(g, tidy, (5, 4, 2, 2), width=2)),
        Case("scores around -200, a ragged last tile", low),
        Case("scores around 200, a ragged last tile", high),
        Case("causal, scores around -200", causal_scored([-200.0] * 4)),
        Case("causal, every second key scores 200", causal_scored([0.0, 200.0, 0.0, 200.0])),
        Case("causal, scores from -20 000 down", causal_scored([-2e4, -2.03e4, -2.06e4, -2.09e4])),
        Case("a rise of 11 between two tiles, after loud values", rise),
        Case("a fall of 11 between two tiles, before loud values", fall),
        Case("causal, 2 queries, 5 keys", _inputs(g, tidy, (2, 5, 4, 2), True, width=2)),
        Case(
            "77 queries, 97 keys, causal", _inputs(g, normal, (77, 97, 16, 32), True, front=(1, 2))
        ),
        Case(
            "193 queries, 257 keys: a matrix of all pairs has 49,601 numbers",
            _inputs(g, normal, (193, 257, 32, 64)),
            most_numbers=45_000,
        ),
        Case(
            "289 queries, 321 keys: a matrix of all pairs has 92,769 numbers",
            _inputs(g, normal, large),
            most_numbers=28_000,
        ),
        Case(
            "causal, 5 queries, 3 keys: two queries see nothing",
            _inputs(g, tidy, (5, 3, 3, 1), True, width=2),
        ),
    ]
    steep = _scored(_inputs(g, normal, (2, 4, 1, 2)), torch.tensor([200.0, 200.0, 0.0, 0.0]))
    cases += [
        Case("scores that fall by 200 between two tiles", steep),
        Case(
            "65 queries, 96 keys, tiles of 1 by 96",
            _inputs(g, normal, (65, 96, 1, 96)),
            most_numbers=1_500,
        ),
        Case(
            "96 queries, 33 keys, tiles of 96 by 1",
            _inputs(g, normal, (96, 33, 96, 1), width=1),
            most_numbers=3_000,  # room for halves that are merged, and not for a row of scores
        ),
        Case(
            "causal, 4 queries, 3 keys: one query of a tile sees nothing",
            _inputs(g, tidy, (4, 3, 2, 2), True, width=2),
        ),
    ]
    tiles: dict[str, Value] = {"tile_queries": 4, "tile_keys": 8, "causal": False}
    return cases + ordinary(g, uneven_columns, axes=AXES, given=tiles, gradients=False, turned=True)


CHECK = Check(
    name="flash.tiled_forward",
    lesson="09_flash_attention",
    title="Attention, tile by tile",
    answer="tiled_attention",
    returns=("output", "log_sum_exp"),
    draw=_draw,
    points=4,
    difficulty=5,
    importance=5,
    minutes=30,
    # Scores of 200 are exact to 1e-5 in float32.
    forbidden=frozenset({"attention", "NumPy", "numbers"}),
    rtol=5e-5,
    atol=1e-4,
)
