"""Walks over the tiles, for tests that hold ``tiles_model.py`` and ``tiles_model.js`` equal.

Both models compute every walk below, and ``tests/browser/test_tiles_page.py`` compares the results.
The walks over 10 queries and 7 keys reach every branch of both.
"""

import itertools
from typing import Any

import torch
from torch import Tensor

from transformer_lesson.flash.softmax import Partial
from transformer_lesson.widgets import TileExplorer
from transformer_lesson.widgets.tiles_model import Row, Walk

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


def walks(queries: int, keys: int) -> list[TileExplorer]:
    """All walks over scores of one shape, in tiles of which the last are smaller."""
    sizes = {"tile_queries": min(3, queries), "tile_keys": min(2, keys)}
    return [explorer(queries, keys, **sizes, **rules) for rules in (*RIGHT, *BROKEN)]


def walk_in_python(walk: Walk) -> dict[str, Any]:
    """The tiles, and for each step its words and the state of every row, as plain values."""
    tiles = [[_ends(tile.rows), _ends(tile.columns), tile.partly] for tile in walk.steps]
    return {
        "tiles": tiles,
        "skipped": [[_ends(tile.rows), _ends(tile.columns)] for tile in walk.skipped],
        "steps": [
            {
                "read": dict(walk.moved(step)[0]),
                "written": dict(walk.moved(step)[1]),
                "held": walk.held(step),
                "finished": walk.finished(step),
                "largest": walk.largest_error(step),
                "rows": [_row(walk, walk.row(row, step)) for row in range(walk.queries)],
            }
            for step in range(len(walk.steps))
        ],
    }


# The same in the browser.
WALK_IN_BROWSER = """([shape, numbers, scale, rules]) => {
  const walk = new TileWalk(givenOf(shape, numbers, scale), rules);
  const flat = (state) =>
    Array.isArray(state) ? state : [state.maximum, state.sum, ...state.accumulator];
  const row = (state) => ({
    inside: state.inside,
    keys: state.seen.filter(Boolean).length,
    numbers: [
      [flat(state.before), flat(state.after), state.factor, state.due],
      [state.soFar, state.exact, state.error, state.end.end, state.end.exact, state.end.error],
      [state.logSumExp, state.rowTerm ?? []],
    ].flat(3),
  });
  return {
    tiles: walk.steps.map(({ rows, columns, partly }) => [rows, columns, partly]),
    skipped: walk.tiles.flatMap(({ rows, columns, skipped }) => skipped ? [[rows, columns]] : []),
    steps: walk.steps.map((_, step) => ({
      read: Object.fromEntries(walk.moves[step].read),
      written: Object.fromEntries(walk.moves[step].written),
      held: Object.fromEntries(walk.held(step)),
      finished: walk.finishedRows(step).rows,
      largest: walk.finishedRows(step).error,
      rows: walk.scores.map((_, i) => row(walk.row(i, step))),
    })),
  };
}"""


def _row(walk: Walk, row: Row) -> dict[str, Any]:
    numbers = [
        *(*_flat(row.before), *_flat(row.after), row.factor, row.due),
        *(*row.so_far.tolist(), *row.exact.tolist(), row.error),
        *(*row.end.tolist(), *row.end_exact.tolist(), row.end_error),
        row.log_sum_exp,
        *([row.row_term] if walk.rules.direction == "backward" else []),
    ]
    return {"inside": row.inside, "keys": row.keys_seen, "numbers": numbers}


def _flat(state: Partial | Tensor) -> list[float]:
    if isinstance(state, Partial):
        return [float(state.maximum), float(state.total), *state.weighted.tolist()]
    return list(state.tolist())


def _ends(part: slice) -> list[int]:
    return [part.start, part.stop]
