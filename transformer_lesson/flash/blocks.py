"""Tiles whose rows are cut into blocks of columns: a row of 80 numbers is one of 64 and one of 16.

The sides of Triton's tensors are powers of two. As one tensor such a tile would have 128 columns,
and each product would multiply 48 columns of zeros. So a tile is a tuple of tensors, as many as
there are ``BLOCKS``, and each function here does to every block what its name says.
"""

import triton
import triton.language as tl

# Of products in float32; it says nothing to 16-bit numbers. Tensor cores round float32 to 11 bits:
# three products of the leading and the remaining bits keep 22 of 24, as PyTorch's memory-efficient
# attention does. Rows of many blocks leave no registers for that, and are multiplied as they are.
SPLIT, WHOLE = tl.constexpr("tf32x3"), tl.constexpr("ieee")
MANY_BLOCKS = tl.constexpr(4)


@triton.jit
def zeros(rows: tl.constexpr, BLOCKS: tl.constexpr):
    """A tile of zeros in float32, to which products are added."""
    tile = ()
    for block in tl.static_range(len(BLOCKS)):
        tile += (tl.zeros([rows, tl.constexpr(BLOCKS[block])], tl.float32),)
    return tile


@triton.jit
def load(base, rows, inside, WIDTH: tl.constexpr, BLOCKS: tl.constexpr):
    """Load rows; what is not inside, or lies beyond the last column, is 0."""
    tile, first = (), 0
    for block in tl.static_range(len(BLOCKS)):
        columns = first + tl.arange(0, BLOCKS[block])
        mask = inside[:, None] & (columns[None, :] < WIDTH)
        tile += (tl.load(base + rows[:, None] + columns[None, :], mask=mask, other=0.0),)
        first += BLOCKS[block]
    return tile


@triton.jit
def store(base, tile, rows, inside, WIDTH: tl.constexpr, BLOCKS: tl.constexpr):
    """Store rows in the type of ``base``."""
    first = 0
    for block in tl.static_range(len(BLOCKS)):
        columns = first + tl.arange(0, BLOCKS[block])
        mask = inside[:, None] & (columns[None, :] < WIDTH)
        numbers = tile[block].to(base.dtype.element_ty)
        tl.store(base + rows[:, None] + columns[None, :], numbers, mask=mask)
        first += BLOCKS[block]


@triton.jit
def scaled(tile, factor):
    """The tile with each row, or all of it, multiplied by ``factor``."""
    result = ()
    for block in tl.static_range(len(tile)):
        result += (tile[block] * factor,)
    return result


@triton.jit
def row_products(left, right):
    """The dot product of each row of ``left`` with each row of ``right``."""
    precision: tl.constexpr = SPLIT if len(left) < MANY_BLOCKS else WHOLE
    found = tl.dot(left[0], tl.trans(right[0]), input_precision=precision)
    for block in tl.static_range(1, len(left)):
        found = tl.dot(left[block], tl.trans(right[block]), found, input_precision=precision)
    return found


@triton.jit
def add_weighted(weights, tile, total):
    """``total`` plus the rows of ``tile``, weighted by each row of ``weights``."""
    precision: tl.constexpr = SPLIT if len(tile) < MANY_BLOCKS else WHOLE
    result = ()
    for block in tl.static_range(len(tile)):
        part = weights.to(tile[block].dtype)
        result += (tl.dot(part, tile[block], total[block], input_precision=precision),)
    return result
