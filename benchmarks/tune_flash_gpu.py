"""Search tile sizes on this GPU and print entries for ``transformer_lesson/flash/configs.py``.

Each candidate must agree with the tiles in float32 before it is timed: a fast wrong kernel is no
candidate. They are kept in ``results/`` too. Before they go into the table,
``benchmarks/flash_compiled_gpu.py`` says whether they fit elsewhere. Needs a GPU; takes minutes.
"""

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from unittest.mock import patch

import torch
from torch import Tensor

from benchmarks.flash_gpu import GPU, Setting, kept, milliseconds
from transformer_lesson.flash import configs, flash_attention
from transformer_lesson.flash.api import Backend
from transformer_lesson.flash.configs import Entry, Tiles

CANDIDATES = [
    Tiles(queries, keys, warps, stages)
    for queries, keys, warps, stages in product((64, 128), (32, 64, 128), (4, 8), (2, 3))
]
FOR_DECODING = [
    Tiles(16, keys, warps, stages) for keys, warps, stages in product((32, 64, 128), (4, 8), (2, 3))
]
ENTRIES: tuple[Entry, ...] = ("forward", "decode", "backward_keys", "backward_queries")


def run(tensors: list[Tensor], upstream: Tensor, backend: Backend = "triton") -> tuple[Tensor, ...]:
    """The output of causal attention, and the gradients where they are asked for."""
    with torch.set_grad_enabled(tensors[0].requires_grad):
        output = flash_attention(*tensors, causal=True, backend=backend)
    assert isinstance(output, Tensor)
    if not tensors[0].requires_grad:
        return (output,)
    return output, *torch.autograd.grad(output, tensors, upstream)


def drawn(entry: Entry, width: int, on: Setting = GPU) -> tuple[list[Tensor], Tensor]:
    """Query, key, value, with gradients for a backward kernel, and the upstream gradient."""
    if entry == "decode":
        shapes = [(1, 16, 1, width), *[(1, 4, on.cached, width)] * 2]
    else:
        shapes = [(2, on.d_model // width, on.tokens // 8, width)] * 3
    q, k, v = (torch.randn(shape, device=on.device, dtype=torch.bfloat16) for shape in shapes)
    backward = entry.startswith("backward")
    tensors = [tensor.requires_grad_(backward) for tensor in (q, k, v)]
    return tensors, torch.randn_like(q)


def candidates(entry: Entry) -> list[Tiles]:
    """The tiles that are tried for a kernel."""
    return FOR_DECODING if entry == "decode" else CANDIDATES


@contextmanager
def instead(entry: Entry, width: int, tiles: Tiles) -> Iterator[None]:
    """Let these tiles stand in the table, whichever part of it this GPU reads."""
    tried = {(entry, width): tiles}
    with (
        patch.dict(configs.HALF, tried),
        patch.dict(configs.LARGE, tried),
        patch.dict(configs.BLACKWELL, tried),
    ):
        yield


class Search:
    """Times candidates for one kernel, with the others unchanged."""

    def __init__(self, entry: Entry, width: int, on: Setting = GPU) -> None:
        self.entry, self.width, self.on = entry, width, on
        self.tensors, self.upstream = drawn(entry, width, on)
        exact = [t.detach().float().requires_grad_(t.requires_grad) for t in self.tensors]
        self.expected = run(exact, self.upstream.float(), "tiled")

    def milliseconds(self, tiles: Tiles) -> float:
        """The time with these tiles; NaN if they are wrong or do not fit, which is printed."""
        with instead(self.entry, self.width, tiles):
            try:
                found = run(self.tensors, self.upstream)
            except Exception as error:  # too much shared memory, or the compiler gives up
                print(f"# {self.entry} {self.width} {tiles}: {type(error).__name__}", flush=True)
                return math.nan
            if not _agree(found, self.expected):
                print(f"# {self.entry} {self.width} {tiles}: wrong", flush=True)
                return math.nan
            return self.timed()

    def timed(self) -> float:
        """The time with the tiles of the table as it stands."""
        return milliseconds(lambda: run(self.tensors, self.upstream), self.on.timed)


def best(entry: Entry, width: int) -> Tiles | None:
    """Return the fastest correct candidate for one kernel."""
    search = Search(entry, width)
    times = {tiles: search.milliseconds(tiles) for tiles in candidates(entry)}
    right = {tiles: time for tiles, time in times.items() if not math.isnan(time)}
    return min(right, key=right.__getitem__, default=None)


def _agree(found: tuple[Tensor, ...], expected: tuple[Tensor, ...]) -> bool:
    """Whether nothing is off by more than a fiftieth of the largest number."""
    for one, other in zip(found, expected, strict=True):
        if not (one.float() - other).abs().max() <= 2e-2 * other.abs().max():
            return False
    return True


def main() -> int:
    """Print the table's entries for the widths that models use."""
    if not torch.cuda.is_available():
        print("No GPU here: nothing was tuned.")
        return 1
    with kept("flash-tiles"):
        print(f"# {torch.cuda.get_device_name()}")
        for width, entry in product((64, 128), ENTRIES):
            tiles = best(entry, width)
            print(f"{entry:16} {width:3} {tiles or 'no candidate is right'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
