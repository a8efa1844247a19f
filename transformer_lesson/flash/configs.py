"""How large the tiles are, on which GPU: a table, so that no cell waits for a search.

``benchmarks/tune_flash_gpu.py`` searches on the GPU that it runs on and prints lines for this
table. The entries below have not been timed: they are those that compile without spilling
registers for compute capability 9.0 at the given width.
"""

from dataclasses import dataclass
from typing import Literal

Kernel = Literal["forward", "backward_keys", "backward_queries"]


@dataclass(frozen=True)
class Tiles:
    """Tile sizes and how a GPU works on them.

    Attributes:
        queries: queries in a tile.
        keys: keys in a tile.
        warps: groups of 32 threads that share a tile.
        stages: tiles that are loaded ahead.
    """

    queries: int
    keys: int
    warps: int
    stages: int


# By kernel and padded head width, for float16 and bfloat16 on compute capability 8.0 and later.
HALF: dict[tuple[Kernel, int], Tiles] = {
    ("forward", 16): Tiles(128, 64, 4, 3),
    ("forward", 32): Tiles(128, 64, 4, 3),
    ("forward", 64): Tiles(128, 64, 8, 3),
    ("forward", 128): Tiles(128, 64, 8, 2),
    ("forward", 256): Tiles(64, 32, 8, 2),
    ("backward_keys", 16): Tiles(64, 64, 4, 2),
    ("backward_keys", 32): Tiles(64, 64, 4, 2),
    ("backward_keys", 64): Tiles(64, 64, 4, 2),
    ("backward_keys", 128): Tiles(32, 64, 4, 2),
    ("backward_keys", 256): Tiles(32, 32, 8, 1),
    ("backward_queries", 16): Tiles(128, 64, 8, 2),
    ("backward_queries", 32): Tiles(128, 64, 8, 2),
    ("backward_queries", 64): Tiles(128, 64, 8, 2),
    ("backward_queries", 128): Tiles(64, 64, 4, 2),
    ("backward_queries", 256): Tiles(32, 32, 8, 1),
}
# Float32 products in full precision use no tensor cores: small tiles, for any width.
FLOAT = Tiles(32, 32, 4, 1)
# The interpreter's time goes with the number of tiles that are visited.
INTERPRETER = Tiles(128, 128, 1, 1)


def tiles(kernel: Kernel, width: int, *, half: bool, interpreted: bool) -> Tiles:
    """Return the tiles for a kernel and a padded head width (16, 32, … 256)."""
    if interpreted:
        return INTERPRETER
    return HALF[kernel, width] if half else FLOAT
