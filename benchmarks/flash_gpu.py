"""Our Triton kernels against PyTorch's fused attention, each backend pinned, in one run.

Prints TFLOP/s and the ratio of ours to the others, forward and backward, bfloat16. Needs a GPU.
"""

import math
import platform
import sys
from collections.abc import Callable
from datetime import date
from statistics import median

import torch
import triton
from torch import Tensor
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from transformer_lesson.flash import flash_attention

LENGTHS = (4096, 8192, 16384)
TOKENS = 32768  # in a batch, whatever the length of a text
D_MODEL = 2048
REPEATS = 30
Attend = Callable[[Tensor, Tensor, Tensor, bool], Tensor]


def pinned(backend: SDPBackend) -> Attend:
    """PyTorch's attention by one backend, never another."""

    def attend(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    return attend


def ours(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    output = flash_attention(q, k, v, causal=causal, backend="triton")
    assert isinstance(output, Tensor)
    return output


def plain(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    """Attention that stores all scores, as lesson 02 builds it."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(hidden, -math.inf)
    return scores.softmax(-1) @ v


BACKENDS: dict[str, Attend] = {
    "ours": ours,
    "plain": plain,
    "flash": pinned(SDPBackend.FLASH_ATTENTION),
    "cudnn": pinned(SDPBackend.CUDNN_ATTENTION),
    "efficient": pinned(SDPBackend.EFFICIENT_ATTENTION),
}


def milliseconds(run: Callable[[], object]) -> float:
    """Median time of one run, between events on the GPU, with a cold cache."""
    cache = torch.empty(256 * 2**20, dtype=torch.int8, device="cuda")
    for _ in range(5):
        run()
    times = []
    for _ in range(REPEATS):
        cache.zero_()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return median(times)


def measure(attend: Attend, width: int, length: int, causal: bool) -> tuple[float, float]:
    """TFLOP/s forward and backward; a causal mask halves what is counted. NaN: out of memory."""
    try:
        return _measure(attend, width, length, causal)
    except torch.OutOfMemoryError:  # plain attention, of long texts
        return math.nan, math.nan


def _measure(attend: Attend, width: int, length: int, causal: bool) -> tuple[float, float]:
    batch, heads = TOKENS // length, D_MODEL // width
    draw = torch.randn(4, batch, heads, length, width, device="cuda", dtype=torch.bfloat16)
    q, k, v = (tensor.clone().requires_grad_() for tensor in draw[:3])
    operations = 4 * batch * heads * length**2 * width / (2 if causal else 1) / 1e9
    with torch.no_grad():
        forward = milliseconds(lambda: attend(q, k, v, causal))
    output = attend(q, k, v, causal)
    backward = milliseconds(
        lambda: torch.autograd.grad(output, (q, k, v), draw[3], retain_graph=True)
    )
    return operations / forward, 2.5 * operations / backward


def promised(width: int, forward: dict[str, float], backward: dict[str, float]) -> list[str]:
    """Which promises these measurements break."""
    broken = []
    if forward["ours"] <= forward["flash"]:
        broken.append("forward slower than flash")
    if width == 64 and forward["ours"] < 0.75 * forward["cudnn"]:
        broken.append("forward more than 25 % behind cuDNN")
    if backward["ours"] < 0.9 * backward["flash"]:
        broken.append("backward below 0.9 of flash")
    return broken


def main() -> int:
    """Print one line for each case; return 1 if a promise is broken."""
    if not torch.cuda.is_available():
        print("No GPU here: nothing was measured.")
        return 1
    print(f"{torch.cuda.get_device_name()}, {date.today()}, Python {platform.python_version()}")
    print(f"torch {torch.__version__}, triton {triton.__version__}, bfloat16, TFLOP/s, medians")
    failed = False
    for width in (64, 128):
        for causal in (False, True):
            for length in LENGTHS:
                found = {n: measure(a, width, length, causal) for n, a in BACKENDS.items()}
                directions = [{n: both[i] for n, both in found.items()} for i in range(2)]
                for name, rates in zip(("forward ", "backward"), directions, strict=True):
                    words = "  ".join(f"{n} {r:5.0f}" for n, r in rates.items())
                    ratios = "  ".join(
                        f"/{n} {rates['ours'] / r:.2f}" for n, r in rates.items() if n != "ours"
                    )
                    kind = "causal" if causal else "full  "
                    print(f"width {width:3} {kind} {length:5} {name}: {words}   ours{ratios}")
                for words in promised(width, *directions):
                    print(f"  broken: {words}")
                    failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
