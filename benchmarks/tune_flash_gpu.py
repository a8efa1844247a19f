"""The search of ``first_gpu`` for tile sizes: entries for ``transformer_lesson/flash/configs.py``.

Each candidate must agree with the tiles in float32 before it is timed: a fast wrong kernel is no
candidate. Before one goes into the table, ``benchmarks/flash_compiled_gpu.py`` says whether it
fits elsewhere.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from statistics import median
from unittest.mock import patch

import torch
from torch import Tensor

from benchmarks.flash_gpu import GPU, Setting, milliseconds
from transformer_lesson.flash import configs, flash_attention
from transformer_lesson.flash.api import Backend
from transformer_lesson.flash.configs import Entry, Tiles

# A warp multiplies sixteen rows at least: more warps than that would share a row.
ROWS_AND_WARPS = ((64, 4), (128, 4), (128, 8))
CANDIDATES: dict[Entry, list[Tiles]] = {
    "forward": [
        Tiles(queries, keys, warps, stages)
        for (queries, warps), keys, stages in product(ROWS_AND_WARPS, (32, 64, 128), (2, 3, 4))
    ],
    "decode": [Tiles(16, *sizes) for sizes in product((32, 64, 128), (4, 8), (2, 3, 4))],
    "backward_keys": [
        Tiles(queries, keys, warps, stages)
        for (keys, warps), queries, stages in product(ROWS_AND_WARPS, (32, 64, 128), (2, 3))
    ],
    "backward_queries": [
        Tiles(queries, keys, warps, stages, ahead=ahead)
        for ahead, (queries, warps), keys, stages in product(
            (True, False), ROWS_AND_WARPS, (32, 64, 128), (2, 3)
        )
    ],
}
ENTRIES: tuple[Entry, ...] = ("forward", "decode", "backward_keys", "backward_queries")


def run(
    tensors: list[Tensor], upstream: Tensor, causal: bool, backend: Backend = "triton"
) -> tuple[Tensor, ...]:
    """The output of attention, and the gradients where they are asked for."""
    with torch.set_grad_enabled(tensors[0].requires_grad):
        output = flash_attention(*tensors, causal=causal, backend=backend)
    assert isinstance(output, Tensor)
    if not tensors[0].requires_grad:
        return (output,)
    return output, *torch.autograd.grad(output, tensors, upstream)


def drawn(entry: Entry, width: int, on: Setting = GPU) -> tuple[list[Tensor], Tensor]:
    """Query, key, value, with gradients for a backward kernel, and the upstream gradient."""
    if entry == "decode":
        shapes = [(1, 16, 1, width), *[(1, 4, on.cached, width)] * 2]
    else:
        shapes = [(1, on.d_model // width, on.tokens // 8, width)] * 3
    q, k, v = (torch.randn(shape, device=on.device, dtype=torch.bfloat16) for shape in shapes)
    backward = entry.startswith("backward")
    tensors = [tensor.requires_grad_(backward) for tensor in (q, k, v)]
    return tensors, torch.randn_like(q)


@contextmanager
def instead(entry: Entry, width: int, tiles: Tiles) -> Iterator[None]:
    """Let these tiles stand in the table, whichever part of it this GPU reads."""
    table = configs.tiles

    def tried(name: Entry, padded: int, *, half: bool, capability: int) -> Tiles:
        if (name, padded) == (entry, width):
            return tiles
        return table(name, padded, half=half, capability=capability)

    with patch.object(configs, "tiles", tried):
        yield


class Search:
    """Times candidates for one kernel, with the others unchanged."""

    def __init__(self, entry: Entry, width: int, on: Setting = GPU) -> None:
        self.entry, self.width, self.on = entry, width, on
        self.tensors, self.upstream = drawn(entry, width, on)
        exact = [t.detach().float().requires_grad_(t.requires_grad) for t in self.tensors]
        self.expected = run(exact, self.upstream.float(), True, "tiled")

    def right(self, tiles: Tiles) -> bool:
        """Whether the kernel runs with these tiles and agrees; if not, why is printed."""
        with instead(self.entry, self.width, tiles):
            try:
                found = run(self.tensors, self.upstream, True)
            except Exception as error:  # too much shared memory, or the compiler gives up
                print(f"# {self.entry} {self.width} {tiles}: {type(error).__name__}", flush=True)
                return False
        if not (agrees := _agree(found, self.expected)):
            print(f"# {self.entry} {self.width} {tiles}: wrong", flush=True)
        return agrees

    def times(self, tiles: Tiles) -> tuple[float, float]:
        """Milliseconds of the kernel alone, causal and full; of a decoding, of all its kernels."""
        causal, full = (partial(run, self.tensors, self.upstream, c) for c in (True, False))
        with instead(self.entry, self.width, tiles):
            if self.entry == "decode":  # with the merge of its parts, and there is nothing to mask
                return (milliseconds(full, self.on.timed),) * 2
            return self.on.alone(self.entry, causal), self.on.alone(self.entry, full)

    def ranked(self, tried: list[Tiles]) -> list[tuple[Tiles, float, float]]:
        """The right ones of them with their times, the fastest first.

        Each is timed in three rounds, so that a GPU that slows down does so for all. The order is
        that of the mean loss to the best of each mask.
        """
        right = [tiles for tiles in tried if self.right(tiles)]
        rounds = [[self.times(tiles) for tiles in right] for _ in range(3)]
        each = list(zip(*rounds, strict=True))
        causal, full = ([median(t[mask] for t in times) for times in each] for mask in (0, 1))
        found = zip(right, causal, full, strict=True)
        return sorted(found, key=lambda row: row[1] / min(causal) + row[2] / min(full))


def _agree(found: tuple[Tensor, ...], expected: tuple[Tensor, ...]) -> bool:
    """Whether nothing is off by more than a fiftieth of the largest number."""
    for one, other in zip(found, expected, strict=True):
        if not (one.float() - other).abs().max() <= 2e-2 * other.abs().max():
            return False
    return True
