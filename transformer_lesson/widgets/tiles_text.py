"""One step of a walk over the tiles in words; ``tiles_text.js`` says the same in the page."""

import math

from torch import Tensor

from transformer_lesson.widgets.tiles_model import MOVED, Tile, Walk, distance

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
    if not _has(walk.steps[step], row):
        begun = any(_has(tile, row) for tile in walk.steps[: step + 1])
        done = row in walk.finished(step)
        if begun:
            return f"row {row} {'is finished' if done else 'is not in this tile'}"
        return f"row {row} {'may see no key' if done else 'has not begun'}"
    if not walk.plain:
        return f"row {row} is in this tile"
    state = walk.row(row, step)
    before, after = state.before, state.after
    error = distance(state.so_far, state.exact)
    return (
        f"row {row}: maximum {amount(float(before.maximum))} to {amount(float(after.maximum))}, "
        f"factor {amount(state.factor)}, "
        f"sum {amount(float(before.total))} to {amount(float(after.total))}, "
        f"accumulator {vector(before.weighted)} to {vector(after.weighted)}, "
        f"error {amount(error)} over {_counted(state.keys_seen, 'key')} so far"
    )


def _row_text(walk: Walk, row: int, step: int) -> list[str]:
    finished = f"Rows finished: {len(walk.finished(step))}"
    if not walk.plain:
        return [f"{finished}."]
    state = walk.row(row, step)
    error, end_error = distance(state.so_far, state.exact), distance(state.end, state.end_exact)
    return [
        f"Row {row}: output so far {vector(state.so_far)}, exact over the same keys "
        f"{vector(state.exact)}, error {amount(error)}; at the end {vector(state.end)}, "
        f"exact {vector(state.end_exact)}, error {amount(end_error)}.",
        f"{finished}; their largest error: {amount(walk.largest_error(step))}.",
    ]


def _tiles_text(walk: Walk, step: int) -> str:
    partly = sum(tile.partly for tile in walk.steps)
    return (
        f"Tiles: {step} visited, 1 current, {len(walk.steps) - step - 1} to come, "
        f"{len(walk.skipped)} skipped; {partly} partly masked."
    )


def amount(number: float) -> str:
    """Format a number as the page does."""
    size, sign = abs(number), MINUS if number < 0 else ""
    if size == 0:
        return "0"
    if math.isinf(size):
        return f"{sign}∞"
    if 1e-3 <= size < 1e5:
        return f"{sign}{size:.4f}"
    digits, exponent = f"{size:.2e}".split("e")
    return f"{sign}{digits}e{MINUS if int(exponent) < 0 else '+'}{abs(int(exponent))}"


def vector(numbers: Tensor) -> str:
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
