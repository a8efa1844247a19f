"""Other kernels for an online softmax; read by ``kernel.py`` where Triton is installed."""

# mypy: ignore-errors
# Triton reads these functions as source; types mean something else there.

from transformer_lesson.flash.interpret import use_interpreter

use_interpreter()  # before Triton is imported

import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def whole_row(SCORES, WEIGHTS, length, BLOCK: tl.constexpr):
    """One tile that is as long as the row: nothing needs to be rescaled."""
    columns = tl.arange(0, BLOCK)
    place = tl.program_id(0) * length + columns
    scores = tl.load(SCORES + place, mask=columns < length, other=-float("inf"))
    exponentials = tl.exp(scores - tl.max(scores, axis=0))
    tl.store(WEIGHTS + place, exponentials / tl.sum(exponentials, axis=0), mask=columns < length)


@triton.jit
def from_the_end(SCORES, WEIGHTS, length, TILE: tl.constexpr):
    """The last tile first, and the sum kept as a logarithm."""
    row = tl.program_id(0)
    lanes = tl.arange(0, TILE)
    known = -float("inf")
    for step in range(tl.cdiv(length, TILE)):
        columns = length - 1 - step * TILE - lanes
        scores = tl.load(SCORES + row * length + columns, mask=columns >= 0, other=-float("inf"))
        here = tl.max(scores, 0)
        here += tl.log(tl.sum(tl.exp(scores - here), 0))
        larger, smaller = tl.maximum(known, here), tl.minimum(known, here)
        known = larger + tl.log(1.0 + tl.exp(smaller - larger))
    for start in range(0, length, TILE):
        columns = start + lanes
        inside = columns < length
        scores = tl.load(SCORES + row * length + columns, mask=inside)
        tl.store(WEIGHTS + row * length + columns, tl.exp(scores - known), mask=inside)


@triton.jit
def two_rows(SCORES, WEIGHTS, rows, length, stride, TILE: tl.constexpr):
    """Tiles of two rows, by a row and a column of offsets."""
    row = tl.program_id(0) * 2 + tl.arange(0, 2)
    lanes = tl.arange(0, TILE)
    maximum, total = tl.full((2,), -1e30, tl.float32), tl.zeros((2,), tl.float32)
    for start in range(0, length, TILE):
        inside = (row[:, None] < rows) & (start + lanes[None, :] < length)
        place = row[:, None] * stride + start + lanes[None, :]
        scores = tl.load(SCORES + place, mask=inside, other=-float("inf"))
        new = tl.maximum(maximum, tl.max(scores, axis=1))
        total *= tl.exp(maximum - new)
        total += tl.sum(tl.exp(scores - new[:, None]), axis=1)
        maximum = new
    total = tl.where(row < rows, total, 1.0)
    for start in range(0, length, TILE):
        inside = (row[:, None] < rows) & (start + lanes[None, :] < length)
        place = row[:, None] * stride + start + lanes[None, :]
        scores = tl.load(SCORES + place, mask=inside, other=-float("inf"))
        weights = tl.exp(scores - maximum[:, None]) / total[:, None]
        tl.store(WEIGHTS + place, weights, mask=inside)
