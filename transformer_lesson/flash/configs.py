"""How large the tiles are, on which GPU: a table, so that no cell waits for a search.

``benchmarks/first_gpu.py`` searches on the GPU that it runs on. Hopper's entries for head
widths of 64 and 128 have been searched on an H100; no other has been timed.
``benchmarks/flash_compiled_gpu.py`` prints what a GPU's compiler makes of them, and
``benchmarks/results/flash-compiled.txt`` keeps it: none spills registers.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Literal, cast

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
        ahead: whether the kernel of dQ begins a tile's first product in the round before.
    """

    queries: int
    keys: int
    warps: int
    stages: int
    block: int = 256
    ahead: bool = field(default=False, kw_only=True)

    def blocks(self, width: int) -> tuple[int, ...]:
        """Return the blocks of columns, powers of two, that make up rows of ``width`` numbers."""
        block = min(self.block, 1 << (width.bit_length() - 1))
        return (block, *self.blocks(width - block)) if width > block else (block,)

    def __str__(self) -> str:
        return f"{self.queries}x{self.keys}/{self.warps}/{self.stages}"


def _table(text: str) -> dict[tuple[Entry, int], Tiles]:
    """Read tiles, written as by ``str``, with ``/block`` behind them, by kernel and head width."""
    (_, *widths), *rows = [line.split() for line in text.split("\n") if line]
    return {
        (cast(Entry, entry), int(width)): Tiles(*map(int, re.split("[x/]", cell)))
        for entry, *cells in rows
        for width, cell in zip(widths, cells, strict=True)
        if cell != "-"
    }


# For float16 and bfloat16, on any GPU that the kernels know: its blocks have at least 99 KB of
# shared memory. "decode" is the forward kernel where all queries of a group fit into its tile.
# Three stages: with two, a round would wait for copies that the one before it began last.
HALF = _table("""
width            16          32          64          80          96          128         256
forward          128x64/4/3  128x64/4/3  128x32/8/3  128x32/8/3  128x32/8/3  128x32/8/3  64x16/8/3
decode           16x64/4/3   16x32/4/3   16x64/4/3   16x16/4/3   16x32/4/3   16x32/4/3   16x32/4/3
backward_keys    64x64/4/3   64x64/4/3   32x128/8/3  16x32/4/3   16x16/4/3   32x32/4/3/64 16x16/8/3
backward_queries 64x32/4/3   128x64/8/3  128x64/8/3  128x32/8/3  64x32/4/3   64x32/4/3/64 32x16/4/3
""")
# What takes their place on Hopper and on Blackwell of data centers, whose blocks may have 227 KB.
# Their tensor cores starve on products of fewer than 32 columns.
LARGE = _table("""
width            16          32          64          80          96          128         256
forward          -           -           128x64/8/3  128x64/8/3  128x64/8/3  128x64/8/3  128x32/8/3
backward_keys    -           -           64x128/8/3  32x64/4/3   32x128/8/3  32x128/8/3  32x32/8/3
backward_queries 128x64/8/3  -           -           -           128x32/8/3  128x64/8/3  64x32/8/3
""")
HOPPER = LARGE | _table("""
width            64          128
forward          64x64/4/3   64x64/4/3
backward_keys    32x64/4/2   32x64/4/2
backward_queries 64x64/4/3   128x64/8/3
""")
BLACKWELL = LARGE | _table("""
width            64
forward          64x64/4/3
""")
# The same for float32, whose products are three of tensor cores each, or none where a row has four
# blocks (see ``blocks.MANY_BLOCKS``). At width 80 every tile that was tried spills registers, so 80
# runs as 96.
FLOAT = _table("""
width            16          32          64          96          128         256
forward          128x64/8/2  128x32/8/2  64x16/8/2   32x16/8/2   16x32/4/2   32x16/8/2/64
decode           16x16/4/2   16x32/4/2   16x16/4/2   16x32/4/2   16x32/4/2   16x32/8/2/64
backward_keys    32x64/4/2   16x32/4/2   16x16/4/1   16x16/4/1/32 16x16/8/1/64 16x16/8/2/64
backward_queries 64x32/4/2   32x32/4/2   16x32/4/1   16x16/8/1/32 16x16/8/2/32 32x16/8/2/64
""")
# The interpreter's time goes with the number of tiles that are visited.
INTERPRETER = Tiles(128, 128, 1, 1, ahead=True)

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
    chosen = (HALF | {9: HOPPER, 10: BLACKWELL}.get(capability, {}))[entry, width]
    return replace(chosen, ahead=capability == 9)  # whose products run beside other instructions


def parts(programs: int, tiles_of_keys: int, multiprocessors: int) -> int:
    """Into how many shares the keys are split, so that each multiprocessor has two programs."""
    return max(1, min(tiles_of_keys, 2 * multiprocessors // max(1, programs)))
