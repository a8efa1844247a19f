"""How ``first_gpu`` times our Triton kernels and PyTorch's fused attention, each backend pinned."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from transformer_lesson.flash import flash_attention, launch

REPEATS = 30
# What PyTorch says of a backend that does not know this dtype, shape or GPU.
REFUSALS = ("No available kernel", "No viable backend", "cuDNN", "cudnn")
Attend = Callable[[Tensor, Tensor, Tensor, bool], Tensor]
Clock = Callable[[Callable[[], object]], float]


def pinned(backend: SDPBackend) -> Attend:
    """PyTorch's attention by one backend, never another."""

    def attend(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
        with sdpa_kernel(backend):
            shared = q.shape[1] > k.shape[1]
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=shared)

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
    "math": pinned(SDPBackend.MATH),
    "flash": pinned(SDPBackend.FLASH_ATTENTION),
    "cudnn": pinned(SDPBackend.CUDNN_ATTENTION),
    "efficient": pinned(SDPBackend.EFFICIENT_ATTENTION),
}


def milliseconds(run: Callable[[], object], timed: Clock | None = None) -> float:
    """Median time of one run, between events on the GPU, with a cold cache. NaN: cannot run."""
    try:
        return (timed or between_events)(run)
    except torch.OutOfMemoryError:  # those that hold all scores, of long texts
        torch.cuda.empty_cache()  # else too little is left for what PyTorch does not allocate
        return math.nan
    except RuntimeError as error:
        if not any(words in str(error) for words in REFUSALS):
            raise
        print(f"# cannot run: {str(error).splitlines()[0]}", flush=True)
        return math.nan


def between_events(run: Callable[[], object]) -> float:
    """Median time of one run on the GPU, in milliseconds."""
    times = []
    for _ in behind_a_queue(run, REPEATS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return median(times)


def behind_a_queue(run: Callable[[], object], repeats: int) -> Iterator[None]:
    """Before each repeat, clear the cache, and keep the GPU busy until Python has launched a run.

    Else the GPU waits for Python, and a kernel of 40 microseconds seems to take 120.
    """
    cache = torch.empty(256 * 2**20, dtype=torch.int8, device="cuda")
    for _ in range(5):
        run()
    clearing, launching = one_time(cache.zero_), on_the_host(run, 5)
    clearings = 2 + math.ceil(2 * launching / clearing)
    for _ in range(repeats):
        for _ in range(clearings):
            cache.zero_()
        yield


def one_time(run: Callable[[], object]) -> float:
    """Milliseconds of a run whose end is waited for."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    run()
    torch.cuda.synchronize()
    return 1000 * (time.perf_counter() - start)


def on_the_host(run: Callable[[], object], repeats: int = 100) -> float:
    """Median milliseconds until Python has launched one run and goes on."""
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - start))
    return median(times)


def alone(kernel: str, run: Callable[[], object]) -> float:
    """Median time on the GPU of one of our kernels among all that a run launches."""
    pairs: list[tuple[torch.cuda.Event, torch.cuda.Event]] = []
    launch_it = launch._Call.run

    def clocked(call: launch._Call, name: str, *given: Any, **fixed: Any) -> None:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        launch_it(call, name, *given, **fixed)
        end.record()
        if name == kernel:
            pairs.append((start, end))

    with patch.object(launch._Call, "run", clocked):
        for _ in behind_a_queue(run, REPEATS // 3):
            run()
    torch.cuda.synchronize()
    return median(start.elapsed_time(end) for start, end in pairs[-(REPEATS // 3) :])


@dataclass(frozen=True)
class Setting:
    """Where it is timed, and at which sizes.

    Attributes:
        tokens: in a batch, whatever the length of a text.
        d_model: of all heads together.
        cached: keys of one text that a decoded token meets.
        timed: the clock, in milliseconds.
        alone: that of one kernel by its name.
        hosted: that of Python until it has launched a run.
    """

    device: str = "cuda"
    tokens: int = 32768
    d_model: int = 2048
    cached: int = 65_536
    timed: Clock = between_events
    alone: Callable[[str, Callable[[], object]], float] = alone
    hosted: Clock = on_the_host


GPU = Setting()


def measure(
    attend: Attend, width: int, length: int, causal: bool, dtype: torch.dtype, on: Setting = GPU
) -> tuple[float, float]:
    """TFLOP/s forward and backward; a causal mask halves what is counted. NaN: cannot run."""
    batch, heads = on.tokens // length, on.d_model // width
    draw = torch.randn(4, batch, heads, length, width, device=on.device, dtype=dtype)
    q, k, v = (tensor.clone().requires_grad_() for tensor in draw[:3])
    operations = 4 * batch * heads * length**2 * width / (2 if causal else 1) / 1e9
    with torch.no_grad():
        forward = milliseconds(lambda: attend(q, k, v, causal), on.timed)
    made: list[Tensor] = []  # the output, made by the first run: only its gradients are timed

    def backward() -> None:
        if not made:
            made.append(attend(q, k, v, causal))
        torch.autograd.grad(made[0], (q, k, v), draw[3], retain_graph=True)

    return operations / forward, 2.5 * operations / milliseconds(backward, on.timed)


def decoding(width: int, heads: int, key_heads: int, on: Setting = GPU) -> dict[str, float]:
    """Milliseconds of one token against a long cache, and of reading the cache ("memory")."""
    q = torch.randn(1, heads, 1, width, device=on.device, dtype=torch.bfloat16)
    k, v = torch.randn(2, 1, key_heads, on.cached, width, device=on.device, dtype=torch.bfloat16)
    copied = torch.empty_like(k)  # to copy one is to move as many bytes as reading both
    times = {"memory": milliseconds(lambda: copied.copy_(k), on.timed)}
    with torch.no_grad():
        for name in ("ours", "flash", "math"):
            attend = BACKENDS[name]
            run = partial(attend, q, k, v, False)
            times[name] = milliseconds(run, on.timed)
            times[f"{name} on the host"] = milliseconds(run, on.hosted)
    return times
