"""Walks over the tiles; those over 10 queries and 7 keys reach every branch of the page's model."""

import itertools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from transformer_lesson.widgets import TileExplorer

D_HEAD, D_VALUE = 5, 2
SHAPES = [(8, 8), (7, 10), (10, 7), (1, 1), (3, 11)]  # queries, keys
RIGHT: list[dict[str, Any]] = [
    {"order": order, "direction": direction, "causal": causal, "last_first": last_first}
    for order, direction, causal, last_first in itertools.product(
        ("queries", "keys"), ("forward", "backward"), (True, False), (True, False)
    )
]
BROKEN: list[dict[str, Any]] = [
    {"direction": direction, "last_first": True, **broken}
    for direction in ("forward", "backward")
    for broken in (
        {"rescaling": False},
        {"maximum": "zero"},
        {"maximum": "none"},
        {"maximum": "none", "times": 100},
        {"maximum": "zero", "times": 30},
        {"minus_million": True},
        {"minus_million": True, "rescaling": False},
    )
]


def inputs(queries: int = 8, keys: int = 8) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value, ``(queries or keys, width)``, different for every shape."""
    generator = torch.Generator().manual_seed(queries + 100 * keys)
    sizes = ((queries, D_HEAD), (keys, D_HEAD), (keys, D_VALUE))
    query, key, value = (torch.randn(*size, generator=generator).mul(2) for size in sizes)
    return query, key, value


def explorer(queries: int = 8, keys: int = 8, **options: Any) -> TileExplorer:
    """A view of these inputs whose traits are set to ``options``."""
    query, key, value = inputs(queries, keys)
    view = TileExplorer(query @ key.T / D_HEAD**0.5, value, key=key)
    for name, chosen in options.items():
        setattr(view, name, chosen)
    return view


def walks(
    queries: int, keys: int, kinds: Sequence[dict[str, Any]] = (*RIGHT, *BROKEN)
) -> list[TileExplorer]:
    """These walks over scores of one shape, in tiles of which the last are smaller."""
    sizes = {"tile_queries": min(3, queries), "tile_keys": min(2, keys)}
    return [explorer(queries, keys, **sizes, **rules) for rules in kinds]
