"""Flash attention on a small score matrix, tile by tile."""

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

from transformer_lesson.flash.softmax import Partial
from transformer_lesson.maps import as_array
from transformer_lesson.palette import COLOURS
from transformer_lesson.widgets.static_figure import BLUE_ORANGE, blank
from transformer_lesson.widgets.tiles_model import MOVED, Given, Rules, Tile, Walk
from transformer_lesson.widgets.view import View, checked_choice, checked_size, script, style

MOST_TOKENS = 32
MOST_VALUES = 4
MOST_WIDTH = 256
MOST_WORDS = 1_000_000
FIRST_TILE = 4
SHOWN = 4  # numbers of a vector
MINUS = "\N{MINUS SIGN}"
BREAKS = {
    "no rescaling": lambda rules: not rules.rescaling,
    "maximum starts at 0": lambda rules: rules.maximum == "zero",
    "no maximum": lambda rules: rules.maximum == "none",
    "-1e6 for -inf as a mask": lambda rules: rules.minus_million,
}


class TileExplorer(View):
    """The tiles of flash attention, step by step: what moves, what is held, what one row knows.

    Everything is computed in the browser from the scores, the values and, for the gradient of the
    queries, the keys. The gradient that comes from above is 1 + the row's number in each column of
    the value. Switches break the computation and show how wrong a row becomes.

    Args:
        scores: ``(queries, keys)``, before mask and softmax, any real dtype, at most 32 each. The
            last query stands at the last key; with more queries than keys the first see none.
        value: ``(keys, d_value)``, at most 4 wide; by default each key's number, in one column.
        causal: whether a query may attend to no key after itself.
        key: ``(keys, d_head)``, what the scores were made of, at most 256 wide: its width says how
            many words a query and a key have, and its numbers give the gradient of a query. By
            default each key's number, in one column.
        scale: what the dot products were multiplied by; by default ``1 / sqrt(d_head)``.
        capacity: words that fit in fast memory; by default the next power of two that holds tiles
            of 8 queries and 8 keys in the forward pass.

    Attributes:
        step: the tile that is computed, from 0; the tiles that are skipped are not counted.
        row: the query that is spelled out.
        tile_queries: queries in a tile.
        tile_keys: keys in a tile.
        order: the outer loop, ``"queries"`` (FlashAttention-2) or ``"keys"`` (FlashAttention-1).
        direction: ``"forward"`` or ``"backward"``.
        last_first: whether the tiles of keys are walked from the last to the first.
        rescaling: whether sum and accumulator shrink when a larger maximum comes.
        maximum: ``"running"``, ``"zero"`` (starts at 0) or ``"none"`` (nothing is subtracted).
        minus_million: whether masked scores are -1e6 instead of -inf.
        times: what the scores are multiplied by: 1, 3, 10, 30 or 100.

    Raises:
        TypeError: something is no matrix of numbers, or a number or a switch is none.
        ValueError: a shape, a score, a value or a number is wrong.
        traitlets.TraitError: a step, a row, a tile or a choice that does not exist is asked for.
    """

    kind = "tile-explorer"
    _esm = script("tiles_model.js", "tiles_text.js", "tiles.js")
    _css = style("tiles.css")

    # What the browser needs, sent once: queries, keys, d_value, d_head; then all numbers.
    shape = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    data = traitlets.Bytes(read_only=True).tag(sync=True)
    scale = traitlets.Float(read_only=True).tag(sync=True)
    # What the browser and Python may both change.
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
        """Return the walk over the tiles as it is set, with what is moved, held and known."""
        return Walk(self._given, Rules(**{name: getattr(self, name) for name in Rules._fields}))

    def _alt_text(self) -> str:
        walk, step = self.walk(), self.step
        broken = [name for name, is_on in BREAKS.items() if is_on(walk.rules)]
        return "\n".join(
            [
                sentence(walk, self.row, step, self.capacity),
                _tiles_said(walk, step),
                f"Held: {_list(walk.held(step))}.",
                *(
                    f"{name}: {_list({n: words[n] for n in MOVED if n in words}) or 'nothing'}."
                    for name, words in zip(("Read", "Written"), walk.moved(step), strict=True)
                ),
                *_row_said(walk, self.row, step),
                f"Scores times {walk.rules.times}. Broken: {', '.join(broken) or 'nothing'}.",
            ]
        )

    def _static_figure(self) -> Figure:
        walk, step = self.walk(), self.step
        figure = blank(9.4, 4)
        figure.suptitle(
            f"Tile {step + 1} of {len(walk.steps)}, {self.direction}, {self.order} first"
        )
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
    def _stay(self, _: object) -> None:
        """Go back to the last step where there are fewer now."""
        if self.step:
            self.step = min(self.step, len(self.walk().steps) - 1)


def sentence(walk: Walk, row: int, step: int, capacity: int) -> str:
    """Say in one sentence what is shown, as the browser says it aloud."""
    rows, columns, partly = walk.steps[step]
    held = sum(walk.held(step).values())
    fits = "" if held <= capacity else ", which does not fit"
    moved = sum(words.total() for words in walk.moved(step))
    return "; ".join(
        [
            f"Tile {step + 1} of {len(walk.steps)}, {walk.rules.direction}, {walk.rules.order} "
            f"first: {_span('query', 'queries', rows)} with {_span('key', 'keys', columns)}, "
            f"{'partly masked' if partly else 'seen whole'}",
            _row_sentence(walk, row, step),
            f"{_counted(held, 'word')} held of {capacity:,}{fits}",
            f"{_counted(moved, 'word')} moved so far.",
        ]
    )


def _row_sentence(walk: Walk, row: int, step: int) -> str:
    state = walk.row(row, step)
    if not state.inside:
        begun = any(_has(tile, row) for tile in walk.steps[: step + 1])
        done = row in walk.finished(step)
        if begun:
            return f"row {row} {'is finished' if done else 'is not in this tile'}"
        return f"row {row} {'may see no key' if done else 'has not begun'}"
    before, after = state.before, state.after
    close = f"error {amount(state.error)} over {_counted(state.keys_seen, 'key')} so far"
    if not (isinstance(before, Partial) and isinstance(after, Partial)):
        change = f"dQ {vector(state.before)} to {vector(state.after)}"
        return f"row {row}: row term D {amount(state.row_term)}, {change}, {close}"
    return (
        f"row {row}: maximum {amount(float(before.maximum))} to {amount(float(after.maximum))}, "
        f"factor {amount(state.factor)}, "
        f"sum {amount(float(before.total))} to {amount(float(after.total))}, "
        f"accumulator {vector(before.weighted)} to {vector(after.weighted)}, {close}"
    )


def _row_said(walk: Walk, row: int, step: int) -> list[str]:
    state, finished = walk.row(row, step), walk.finished(step)
    what = "dQ" if walk.rules.direction == "backward" else "output"
    return [
        f"Row {row}: {what} so far {vector(state.so_far)}, exact over the same keys "
        f"{vector(state.exact)}, error {amount(state.error)}; at the end {vector(state.end)}, "
        f"exact {vector(state.end_exact)}, error {amount(state.end_error)}.",
        f"Rows finished: {len(finished)}; their largest error: {amount(walk.largest_error(step))}.",
    ]


def _tiles_said(walk: Walk, step: int) -> str:
    partly = sum(tile.partly for tile in walk.steps)
    return (
        f"Tiles: {step} visited, 1 current, {len(walk.steps) - step - 1} to come, "
        f"{len(walk.skipped)} skipped; {partly} partly masked."
    )


def amount(number: float) -> str:
    """Write a number as the browser does."""
    if math.isnan(number):
        return "NaN"
    size, sign = abs(number), MINUS if number < 0 else ""
    if size == 0:
        return "0"
    if math.isinf(size):
        return f"{sign}∞"
    if 1e-3 <= size < 1e5:
        return f"{sign}{size:.4f}"
    digits, exponent = f"{size:.2e}".split("e")
    return f"{sign}{digits}e{MINUS if int(exponent) < 0 else '+'}{abs(int(exponent))}"


def vector(numbers: Tensor | Partial) -> str:
    """Write the first numbers of a vector as the browser does."""
    values = [float(number) for number in numbers]
    shown = ", ".join(map(amount, values[:SHOWN]))
    return f"{shown}, … of {len(values)}" if len(values) > SHOWN else shown


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _span(one: str, many: str, part: slice) -> str:
    last = part.stop - 1
    return f"{one} {last}" if part.start == last else f"{many} {part.start} to {last}"


def _list(words: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in words.items())


def _has(tile: Tile, row: int) -> bool:
    return bool(tile.rows.start <= row < tile.rows.stop)


def _draw_tiles(axes: Axes, walk: Walk, step: int) -> AxesImage:
    top = float(walk.given.scores.abs().max()) or 1
    axes.set(title="Scores; the current tile framed", xlabel="key", ylabel="query")
    image = axes.imshow(walk.given.scores.numpy(), cmap=BLUE_ORANGE, vmin=-top, vmax=top)
    for row, column in np.argwhere(~walk.allowed.numpy()):
        _frame(axes, slice(row, row + 1), slice(column, column + 1), facecolor=COLOURS["masked"])
    for tile in walk.skipped:
        _frame(axes, tile.rows, tile.columns, facecolor=COLOURS["skipped"])
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
    axes.barh(names, reads, label="read", color=COLOURS["blue"])
    axes.barh(names, writes, left=reads, label="written", color=COLOURS["light-orange"], hatch="//")
    axes.invert_yaxis()
    most = max(map(sum, zip(reads, writes, strict=True)))
    axes.set_xlim(0, 1.4 * most)  # room for the legend
    axes.set(title="Words moved so far", xlabel="words")
    axes.legend(loc="upper right")


def _frame(axes: Axes, rows: slice, columns: slice, **style: Any) -> None:
    corner = (columns.start - 0.5, rows.start - 0.5)
    width, height = columns.stop - columns.start, rows.stop - rows.start
    given: dict[str, Any] = {"edgecolor": COLOURS["tile-edge"], "linewidth": 0.5} | style
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
            f"scale={scale} is no positive finite number; pass what the dot products were "
            "multiplied by, such as 1 / sqrt(d_head)."
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
            f"{name}[{row}, {column}] is {array[row, column]}; all numbers are finite. Pass them "
            "before a mask is applied."
        )
    return np.ascontiguousarray(array)
