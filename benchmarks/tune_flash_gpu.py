"""Search tile sizes on this GPU and print lines for ``transformer_lesson/flash/configs.py``.

Each candidate must agree with the tiles in float32 before it is timed: a fast wrong kernel is no
candidate. Needs a GPU; takes some minutes.
"""

import sys
from itertools import product
from unittest.mock import patch

import torch
from torch import Tensor
from tqdm import tqdm

from benchmarks.flash_gpu import milliseconds
from transformer_lesson.flash import configs, flash_attention
from transformer_lesson.flash.api import Backend
from transformer_lesson.flash.configs import Kernel, Tiles

CANDIDATES = [
    Tiles(queries, keys, warps, stages)
    for queries, keys, warps, stages in product((32, 64, 128), (32, 64, 128), (4, 8), (1, 2, 3))
]
KERNELS: tuple[Kernel, ...] = ("forward", "backward_keys", "backward_queries")


def run(tensors: list[Tensor], upstream: Tensor, backend: Backend = "triton") -> tuple[Tensor, ...]:
    """The output and the gradients of causal attention."""
    output = flash_attention(*tensors, causal=True, backend=backend)
    assert isinstance(output, Tensor)
    return output, *torch.autograd.grad(output, tensors, upstream)


def best(kernel: Kernel, width: int) -> Tiles:
    """Return the fastest correct candidate for one kernel, with the others unchanged."""
    draw = torch.randn(4, 2, 2048 // width, 4096, width, device="cuda", dtype=torch.bfloat16)
    tensors = [tensor.clone().requires_grad_() for tensor in draw[:3]]
    exact = [tensor.detach().float().requires_grad_() for tensor in tensors]
    expected = run(exact, draw[3].float(), "tiled")
    times: dict[Tiles, float] = {}
    for tiles in tqdm(CANDIDATES, desc=f"{kernel} width {width}"):
        with patch.dict(configs.HALF, {(kernel, width): tiles}):
            try:
                found = run(tensors, draw[3])
            except Exception as error:  # too much shared memory, or the compiler gives up
                tqdm.write(f"{tiles}: {type(error).__name__}")
                continue
            if _agree(found, expected):
                times[tiles] = milliseconds(lambda: run(tensors, draw[3]))
    return min(times, key=times.__getitem__)


def _agree(found: tuple[Tensor, ...], expected: tuple[Tensor, ...]) -> bool:
    pairs = zip(found, expected, strict=True)
    return all(torch.allclose(one.float(), other, atol=2e-2, rtol=2e-2) for one, other in pairs)


def main() -> int:
    """Print the table's lines for the widths that models use."""
    if not torch.cuda.is_available():
        print("No GPU here: nothing was tuned.")
        return 1
    print(f"# {torch.cuda.get_device_name()}")
    for width, kernel in product((64, 128), KERNELS):
        tiles = best(kernel, width)
        numbers = f"{tiles.queries}, {tiles.keys}, {tiles.warps}, {tiles.stages}"
        print(f'    ("{kernel}", {width}): Tiles({numbers}),', flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
