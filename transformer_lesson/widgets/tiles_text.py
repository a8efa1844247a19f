"""One step of a walk over the tiles in words; ``tiles_text.js`` writes the same in the page."""

import math

from torch import Tensor

from transformer_lesson.flash.softmax import Partial
from transformer_lesson.widgets.tiles_model import MOVED, Tile, Walk

SHOWN = 4  # numbers of a vector
MINUS = "\N{MINUS SIGN}"
BREAKS = {
    "no rescaling": lambda rules: not rules.rescaling,
    "maximum starts at 0": lambda rules: rules.maximum == "zero",
    "no maximum": lambda rules: rules.maximum == "none",
    "-1e6 for -inf as a mask": lambda rules: rules.minus_million,
}


def alt_text(walk: Walk, row: int, step: int, capacity: int) -> str:
    """Return the text alternative of a step, one line for each part of the view."""
    broken = [name for name, is_on in BREAKS.items() if is_on(walk.rules)]
    return "\n".join(
        [
            sentence(walk, row, step, capacity),
            _tiles_text(walk, step),
            f"Held: {_list(walk.held(step))}.",
            *(
                f"{name}: {_list({n: words[n] for n in MOVED if n in words}) or 'nothing'}."
                for name, words in zip(("Read", "Written"), walk.moved(step), strict=True)
            ),
            *_row_text(walk, row, step),
            f"Scores times {walk.rules.times}. Broken: {', '.join(broken) or 'nothing'}.",
        ]
    )


def sentence(walk: Walk, row: int, step: int, capacity: int) -> str:
    """Describe a step in one sentence, the one that screen readers announce in the page."""
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


def _row_text(walk: Walk, row: int, step: int) -> list[str]:
    state, finished = walk.row(row, step), walk.finished(step)
    what = "dQ" if walk.rules.direction == "backward" else "output"
    return [
        f"Row {row}: {what} so far {vector(state.so_far)}, exact over the same keys "
        f"{vector(state.exact)}, error {amount(state.error)}; at the end {vector(state.end)}, "
        f"exact {vector(state.end_exact)}, error {amount(state.end_error)}.",
        f"Rows finished: {len(finished)}; their largest error: {amount(walk.largest_error(step))}.",
    ]


def _tiles_text(walk: Walk, step: int) -> str:
    partly = sum(tile.partly for tile in walk.steps)
    return (
        f"Tiles: {step} visited, 1 current, {len(walk.steps) - step - 1} to come, "
        f"{len(walk.skipped)} skipped; {partly} partly masked."
    )


def amount(number: float) -> str:
    """Format a number as the page does."""
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
    """Format the first numbers of a vector as the page does."""
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
