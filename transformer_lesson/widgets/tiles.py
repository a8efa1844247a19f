"""The view of flash attention on a small score matrix, tile by tile."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from torch import Tensor

from transformer_lesson.palette import COLORS
from transformer_lesson.widgets.attention_maps import as_array
from transformer_lesson.widgets.static_figure import BLUE_ORANGE, blank
from transformer_lesson.widgets.tiles_model import MOVED, TABLES, Given, Rules, Walk
from transformer_lesson.widgets.tiles_text import alt_text
from transformer_lesson.widgets.view import View, checked_choice, checked_size, script, style

MOST_TOKENS = 32
MOST_VALUES = 4
MOST_WIDTH = 256
MOST_WORDS = 1_000_000
FIRST_TILE = 4


class TileExplorer(View):
    """The tiles of flash attention, step by step: words moved, words held, and the state of a row.

    Everything is computed in the browser from the scores, the values and, for the gradient of the
    queries, the keys. The upstream gradient of row i is 1 + i in every column. Switches break the
    computation and show how wrong a row becomes.

    Args:
        scores: ``(queries, keys)``, before mask and softmax, any real dtype, at most 32 of each.
            A causal mask is aligned to the last key; if there are more queries than keys, the first
            queries see none.
        value: ``(keys, d_value)``, at most 4 columns; by default one column with the index of each
            key.
        causal: whether a causal mask hides the keys after each query.
        key: ``(keys, d_head)``, the keys that gave the scores, at most 256 columns. Their width is
            the number of words in a query or a key, and their values give the gradient of a query.
            By default one column with the index of each key.
        scale: the factor by which the dot products were multiplied; by default
            ``1 / sqrt(d_head)``.
        capacity: number of words that fit in fast memory; by default the smallest power of two that
            holds tiles of 8 queries and 8 keys in the forward pass.

    Attributes:
        step: the tile being computed, counted from 0 without the skipped tiles.
        row: the query whose state is shown.
        tile_queries: queries in a tile.
        tile_keys: keys in a tile.
        order: the outer loop, ``"queries"`` (FlashAttention-2) or ``"keys"`` (FlashAttention-1).
        direction: ``"forward"`` or ``"backward"``.
        last_first: whether the tiles of keys are visited from the last to the first.
        rescaling: whether the sum and the accumulator are rescaled when the maximum grows.
        maximum: ``"running"``, ``"zero"`` (starts at 0) or ``"none"`` (nothing is subtracted).
        minus_million: whether masked scores are -1e6 instead of -inf.
        times: the factor by which the scores are multiplied: 1, 3, 10, 30 or 100.

    Raises:
        TypeError: an argument is not a matrix of numbers, or not a number or a bool.
        ValueError: a shape, a score, a value or a number is wrong.
        traitlets.TraitError: an attribute is set to a step, row, size or choice that does not
            exist.
    """

    kind = "tile-explorer"
    _esm = script("tiles_model.js", "tiles_text.js", "tiles.js", **TABLES)
    _css = style(kind, "tiles.css")

    # Sent to the browser once; the shape is queries, keys, d_value, d_head.
    shape = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    data = traitlets.Bytes(read_only=True).tag(sync=True)
    scale = traitlets.Float(read_only=True).tag(sync=True)
    # May be changed by the browser and by Python.
    capacity = traitlets.Int(1).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)
    tile_queries = traitlets.Int(1).tag(sync=True)
    tile_keys = traitlets.Int(1).tag(sync=True)
    causal = traitlets.Bool(True).tag(sync=True)
    order = traitlets.Enum(["queries", "keys"], "queries").tag(sync=True)
    direction = traitlets.Enum(["forward", "backward"], "forward").tag(sync=True)
    last_first = traitlets.Bool(False).tag(sync=True)
    rescaling = traitlets.Bool(True).tag(sync=True)
    maximum = traitlets.Enum(["running", "zero", "none"], "running").tag(sync=True)
    minus_million = traitlets.Bool(False).tag(sync=True)
    times = traitlets.Enum([1, 3, 10, 30, 100], 1).tag(sync=True)

    def __init__(
        self,
        scores: Tensor | npt.ArrayLike,
        value: Tensor | npt.ArrayLike | None = None,
        *,
        causal: bool = True,
        key: Tensor | npt.ArrayLike | None = None,
        scale: float | None = None,
        capacity: int | None = None,
    ) -> None:
        self._given = _given(scores, value, key, scale)
        if not isinstance(causal, bool):
            raise TypeError(f"causal={causal!r}; pass True or False.")
        queries, keys = self._given.scores.shape
        widths = [self._given.value.shape[1], self._given.key.shape[1]]
        self.set_trait("shape", [queries, keys, *widths])
        parts = [part.numpy().astype("<f4").tobytes() for part in self._given[:3]]
        self.set_trait("data", b"".join(parts))
        self.set_trait("scale", self._given.scale)
        self.row = min(FIRST_TILE, queries) - 1
        self.tile_queries, self.tile_keys = min(FIRST_TILE, queries), min(FIRST_TILE, keys)
        self.causal = causal
        if capacity is None:
            eight = Walk(self._given, Rules(min(8, queries), min(8, keys)))
            capacity = 2 ** math.ceil(math.log2(sum(eight.held(0).values())))
        self.capacity = checked_size("capacity", capacity, 1, MOST_WORDS)
        super().__init__()

    def walk(self) -> Walk:
        """Return the walk over the tiles with the present settings."""
        return Walk(self._given, Rules(**{name: getattr(self, name) for name in Rules._fields}))

    def _alt_text(self) -> str:
        return alt_text(self.walk(), self.row, self.step, self.capacity)

    def _static_figure(self) -> Figure:
        walk, step = self.walk(), self.step
        figure = blank(9.4, 4)
        held, scores = sum(walk.held(step).values()), walk.given.scores.numel()
        figure.suptitle(f"A tile at a time holds {held:,} words; the scores alone are {scores:,}")
        left, right = figure.subplots(1, 2)
        figure.colorbar(_draw_tiles(left, walk, step), label="score")
        _draw_words(right, walk, step)
        return figure

    @traitlets.validate("step", "row", "tile_queries", "tile_keys", "capacity")
    def _exists(self, proposal: dict[str, Any]) -> int:
        queries, keys = self.shape[:2]
        lowest, highest = {
            "step": lambda: (0, len(self.walk().steps) - 1),
            "row": lambda: (0, queries - 1),
            "tile_queries": lambda: (1, queries),
            "tile_keys": lambda: (1, keys),
            "capacity": lambda: (1, MOST_WORDS),
        }[proposal["trait"].name]()
        return int(checked_choice(proposal, lowest, highest))

    @traitlets.observe("tile_queries", "tile_keys", "causal")
    def _keep_step(self, _: object) -> None:
        """Stay within the steps, of which there may now be fewer."""
        if self.step:
            self.step = min(self.step, len(self.walk().steps) - 1)


def _draw_tiles(axes: Axes, walk: Walk, step: int) -> AxesImage:
    top = float(walk.given.scores.abs().max()) or 1
    place = f"tile {step + 1} of {len(walk.steps)}, {walk.rules.direction}"
    axes.set(title=f"Scores; framed: {place}", xlabel="key", ylabel="query")
    image = axes.imshow(walk.given.scores.numpy(), cmap=BLUE_ORANGE, vmin=-top, vmax=top)
    axes.locator_params(integer=True)  # a key has no half
    for row, column in np.argwhere(~walk.allowed.numpy()):
        _frame(axes, slice(row, row + 1), slice(column, column + 1), facecolor=COLORS["masked"])
    for tile in walk.skipped:
        _frame(axes, tile.rows, tile.columns, facecolor=COLORS["skipped"])
    for tile in walk.steps[: step + 1]:
        _frame(axes, tile.rows, tile.columns, facecolor="none")
    for tile in walk.steps[step + 1 :]:
        _frame(axes, tile.rows, tile.columns, facecolor=("white", 0.69))
    now = walk.steps[step]
    _frame(axes, now.rows, now.columns, facecolor="none", edgecolor="black", linewidth=4)
    return image


def _draw_words(axes: Axes, walk: Walk, step: int) -> None:
    read, written = walk.moved(step)
    names = [name for name in MOVED if any(name in words for words in walk.moved(len(walk.steps)))]
    reads, writes = ([words[name] for name in names] for words in (read, written))
    axes.barh(names, reads, label="read", color=COLORS["blue"])
    axes.barh(names, writes, left=reads, label="written", color=COLORS["light-orange"], hatch="//")
    axes.invert_yaxis()
    most = max(map(sum, zip(reads, writes, strict=True)))
    axes.set_xlim(0, 1.4 * most)  # room for the legend
    axes.set(title="Words moved so far", xlabel="words")
    axes.locator_params(axis="x", integer=True)
    axes.legend(loc="upper right")


def _frame(axes: Axes, rows: slice, columns: slice, **style: Any) -> None:
    corner = (columns.start - 0.5, rows.start - 0.5)
    width, height = columns.stop - columns.start, rows.stop - rows.start
    given: dict[str, Any] = {"edgecolor": COLORS["tile-edge"], "linewidth": 0.5} | style
    axes.add_patch(Rectangle(corner, width, height, **given))


def _given(scores: Any, value: Any, key: Any, scale: Any) -> Given:
    score = _matrix("scores", scores, "query @ key.T / sqrt(d_head), before the mask")
    queries, keys = score.shape
    if not (1 <= queries <= MOST_TOKENS and 1 <= keys <= MOST_TOKENS):
        raise ValueError(
            f"scores has {queries} queries and {keys} keys; this view shows 1 to {MOST_TOKENS} of "
            f"each. Pass a part, such as scores[:{MOST_TOKENS}, :{MOST_TOKENS}]."
        )
    value = _rows("value", value, keys, MOST_VALUES)
    key = _rows("key", key, keys, MOST_WIDTH)
    if scale is None:
        scale = key.shape[1] ** -0.5
    if isinstance(scale, bool) or not isinstance(scale, int | float | np.number):
        raise TypeError(f"scale={scale!r}; pass a positive number, such as 1 / sqrt(d_head).")
    if not (math.isfinite(scale) and scale > 0):
        raise ValueError(
            f"scale={scale} is not a positive finite number; pass the factor of the dot "
            "products, such as 1 / sqrt(d_head)."
        )
    as_tensor = torch.from_numpy
    return Given(as_tensor(score), as_tensor(value), as_tensor(key), float(scale))


def _rows(name: str, given: Any, keys: int, most: int) -> npt.NDArray[np.float32]:
    if given is None:
        return np.arange(keys, dtype=np.float32)[:, None]
    array = _matrix(name, given, f"(keys, width), such as {name}[0, 0]")
    if array.shape[0] != keys or not 1 <= array.shape[1] <= most:
        raise ValueError(
            f"{name} has shape {array.shape}; expected ({keys}, 1 to {most}), a row for each of "
            f"the {keys} keys. Pass a part, such as {name}[:{keys}, :{most}]."
        )
    return array


def _matrix(name: str, given: Any, what: str) -> npt.NDArray[np.float32]:
    try:
        array = as_array(given)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} is {given!r:.80}; pass numbers: {what}.") from error
    if array.ndim != 2:
        raise ValueError(
            f"{name} has shape {array.shape}; expected two axes. Pass {what}: one head of one "
            "sentence."
        )
    wrong: Sequence[Sequence[int]] = np.argwhere(~np.isfinite(array)).tolist()
    if wrong:
        row, column = wrong[0]
        raise ValueError(
            f"{name}[{row}, {column}] is {array[row, column]}; all numbers must be finite. Pass "
            "them before a mask is applied."
        )
    return np.ascontiguousarray(array)
