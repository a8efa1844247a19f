"""How large the tiles are, on which GPU: a table, so that no cell waits for a search.

``benchmarks/tune_flash_gpu.py`` searches on the GPU that it runs on and prints lines for this
table. The entries below have not been timed. ``benchmarks/flash_compiled_gpu.py`` prints what a
GPU's compiler makes of them, and ``benchmarks/results/flash-compiled.txt`` keeps it: none spills
registers.
"""

from dataclasses import dataclass
from typing import Literal

Entry = Literal["forward", "decode", "backward_keys", "backward_queries"]


@dataclass(frozen=True)
class Tiles:
    """Tile sizes and how a GPU works on them.

    Attributes:
        queries: queries in a tile.
        keys: keys in a tile.
        warps: groups of 32 threads that share a tile.
        stages: tiles that are loaded ahead.
        block: columns at most in a block of a row.
    """

    queries: int
    keys: int
    warps: int
    stages: int
    block: int = 256

    def blocks(self, width: int) -> tuple[int, ...]:
        """Return the blocks of columns, powers of two, that make up rows of ``width`` numbers."""
        block = min(self.block, 1 << (width.bit_length() - 1))
        return (block, *self.blocks(width - block)) if width > block else (block,)


# By kernel and padded head width, for float16 and bfloat16, on any GPU that the kernels know: its
# blocks have at least 99 KB of shared memory. "decode" is the forward kernel where all queries of a
# group of heads fit into its tile.
HALF: dict[tuple[Entry, int], Tiles] = {
    ("forward", 16): Tiles(128, 64, 4, 3),
    ("forward", 32): Tiles(128, 64, 4, 3),
    ("forward", 64): Tiles(128, 32, 8, 3),
    ("forward", 80): Tiles(128, 32, 8, 2),
    ("forward", 96): Tiles(128, 32, 8, 2),
    ("forward", 128): Tiles(128, 64, 8, 2),
    ("forward", 256): Tiles(64, 16, 8, 2),
    ("decode", 16): Tiles(16, 64, 4, 3),
    ("decode", 32): Tiles(16, 32, 4, 3),
    ("decode", 64): Tiles(16, 64, 4, 3),
    ("decode", 80): Tiles(16, 16, 4, 3),
    ("decode", 96): Tiles(16, 32, 4, 3),
    ("decode", 128): Tiles(16, 32, 4, 3),
    ("decode", 256): Tiles(16, 32, 4, 3),
    ("backward_keys", 16): Tiles(32, 64, 4, 2),
    ("backward_keys", 32): Tiles(64, 64, 4, 2),
    ("backward_keys", 64): Tiles(32, 64, 8, 2),
    ("backward_keys", 80): Tiles(16, 32, 4, 2),
    ("backward_keys", 96): Tiles(16, 16, 4, 2),
    ("backward_keys", 128): Tiles(32, 32, 8, 2),
    ("backward_keys", 256): Tiles(32, 32, 8, 1),
    ("backward_queries", 16): Tiles(64, 64, 4, 2),
    ("backward_queries", 32): Tiles(128, 64, 8, 2),
    ("backward_queries", 64): Tiles(128, 64, 8, 2),
    ("backward_queries", 80): Tiles(64, 32, 4, 2),
    ("backward_queries", 96): Tiles(64, 32, 4, 2),
    ("backward_queries", 128): Tiles(64, 32, 4, 2),
    ("backward_queries", 256): Tiles(32, 32, 8, 1),
}
# What takes their place on Hopper, whose blocks may have 227 KB: three stages, so that the copies
# of two tiles are under way while one is multiplied, and products of 32 columns or more.
HOPPER: dict[tuple[Entry, int], Tiles] = {
    ("forward", 64): Tiles(128, 64, 8, 3),
    ("forward", 80): Tiles(128, 64, 8, 3),
    ("forward", 96): Tiles(128, 64, 8, 3),
    ("forward", 128): Tiles(128, 64, 8, 3),
    ("forward", 256): Tiles(128, 32, 8, 3),
    ("backward_keys", 16): Tiles(64, 64, 4, 3),
    ("backward_keys", 32): Tiles(64, 64, 4, 3),
    ("backward_keys", 64): Tiles(64, 128, 8, 3),
    ("backward_keys", 80): Tiles(32, 64, 4, 3),
    ("backward_keys", 96): Tiles(32, 128, 8, 3),
    ("backward_keys", 128): Tiles(32, 128, 8, 3),
    ("backward_queries", 16): Tiles(128, 64, 8, 3),
    ("backward_queries", 32): Tiles(128, 64, 8, 3),
    ("backward_queries", 64): Tiles(128, 64, 8, 3),
    ("backward_queries", 80): Tiles(128, 32, 8, 3),
    ("backward_queries", 96): Tiles(128, 32, 8, 3),
    ("backward_queries", 128): Tiles(128, 64, 8, 3),
    ("backward_queries", 256): Tiles(64, 32, 8, 3),
}
# The same for float32, whose products are three of tensor cores each, or none where a row has four
# blocks (see ``blocks.MANY_BLOCKS``). At width 80 every tile that was tried spills registers, so 80
# runs as 96.
FLOAT: dict[tuple[Entry, int], Tiles] = {
    ("forward", 16): Tiles(128, 64, 8, 2),
    ("forward", 32): Tiles(128, 32, 8, 2),
    ("forward", 64): Tiles(64, 16, 8, 2),
    ("forward", 96): Tiles(32, 16, 8, 2),
    ("forward", 128): Tiles(16, 32, 4, 2),
    ("forward", 256): Tiles(32, 16, 8, 2, block=64),
    ("decode", 16): Tiles(16, 16, 4, 2),
    ("decode", 32): Tiles(16, 32, 4, 2),
    ("decode", 64): Tiles(16, 16, 4, 2),
    ("decode", 96): Tiles(16, 32, 4, 2),
    ("decode", 128): Tiles(16, 32, 4, 2),
    ("decode", 256): Tiles(16, 32, 8, 2, block=64),
    ("backward_keys", 16): Tiles(32, 64, 4, 2),
    ("backward_keys", 32): Tiles(16, 32, 4, 2),
    ("backward_keys", 64): Tiles(16, 16, 4, 1),
    ("backward_keys", 96): Tiles(16, 16, 4, 1, block=32),
    ("backward_keys", 128): Tiles(16, 16, 8, 1, block=64),
    ("backward_keys", 256): Tiles(16, 16, 8, 2, block=64),
    ("backward_queries", 16): Tiles(64, 32, 4, 2),
    ("backward_queries", 32): Tiles(32, 32, 4, 2),
    ("backward_queries", 64): Tiles(16, 32, 4, 1),
    ("backward_queries", 96): Tiles(16, 16, 8, 1, block=32),
    ("backward_queries", 128): Tiles(16, 16, 8, 2, block=32),
    ("backward_queries", 256): Tiles(32, 16, 8, 2, block=64),
}
# The interpreter's time goes with the number of tiles that are visited.
INTERPRETER = Tiles(128, 128, 1, 1)

DECODED = 16  # rows at most, of all heads of a group, for the tiles of "decode"
INTERPRETED_MULTIPROCESSORS = 16


def widths(*, half: bool) -> list[int]:
    """Return the head widths of the table; the kernels pad any other to the next of them."""
    return sorted({width for _, width in (HALF if half else FLOAT)})


def tiles(entry: Entry, width: int, *, half: bool, capability: int) -> Tiles:
    """Return the tiles for a kernel and a head width of the table.

    Args:
        entry: the kernel.
        width: a head width of the table.
        half: whether numbers have 16 bits.
        capability: the leading number of the GPU's compute capability.
    """
    if not half:
        return FLOAT[entry, width]
    if capability == 9 and (entry, width) in HOPPER:
        return HOPPER[entry, width]
    return HALF[entry, width]


def parts(programs: int, tiles_of_keys: int, multiprocessors: int) -> int:
    """Into how many shares the keys are split, so that each multiprocessor has two programs."""
    return max(1, min(tiles_of_keys, 2 * multiprocessors // max(1, programs)))
