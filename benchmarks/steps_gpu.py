"""The steps of ``first_gpu``: each yields rows, the most important first.

``Bench`` says where and at which sizes; that of a dry run is tiny, and its clock is false.
"""

import math
import multiprocessing
import os
import platform
import subprocess
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures import TimeoutError as TooLong
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import product
from typing import Any
from unittest.mock import patch

import torch
import triton

from benchmarks import flash_compiled_gpu, flash_gpu, tune_flash_gpu
from benchmarks.first_gpu import Report, Row
from benchmarks.flash_gpu import BACKENDS, GPU, Setting
from tests.flash.exact import Shape, attend, too_far
from transformer_lesson.flash import configs
from transformer_lesson.flash.configs import Entry, Tiles

Rows = Iterator[tuple[str, Row]]
Step = Callable[[Report], Rows]
# Dense bfloat16 products without sparsity, TFLOP/s, by NVIDIA's data sheets of the SXM boards.
CHIP = {"H100": 989.0, "H200": 989.0, "A100": 312.0, "B200": 2250.0}
RIVALS = ("ours", "flash", "cudnn", "efficient")
SHARED_BY_SEARCH = 0.5  # of the time that is left, for compiling candidates


def false_clock(run: Callable[[], object]) -> float:
    """Run it once and say a millisecond: no figure of a dry run is a measurement."""
    run()
    return 1.0


def false_alone(kernel: str, run: Callable[[], object]) -> float:
    """The same for one kernel of those that a run launches."""
    return false_clock(run)


FALSE: dict[str, Any] = {"timed": false_clock, "alone": false_alone, "hosted": false_clock}


@dataclass(frozen=True)
class Bench:
    """Where it is timed, at which widths and lengths."""

    on: Setting
    widths: tuple[int, ...]
    lengths: tuple[int, ...]
    shapes: tuple[Shape, ...]
    dtypes: tuple[torch.dtype, ...]
    square: int  # rows of the product that shows the chip's practical limit
    candidates: int  # of each kernel, in the search
    dry: bool

    @property
    def shortest(self) -> int:
        return self.lengths[0]


HALVES = (torch.bfloat16, torch.float16)
SHAPES = (
    Shape(257, 257, 64, heads=4, key_heads=4, causal=True),
    Shape(1025, 1025, 128, heads=4, key_heads=4),
    Shape(77, 1025, 64, heads=4, key_heads=2, causal=True),
    Shape(1025, 257, 128, heads=4, key_heads=2, causal=True),
    Shape(300, 300, 64, heads=4, key_heads=4, padding=True),
    Shape(113, 640, 80, heads=4, key_heads=2, causal=True, padding=True),
    Shape(1, 3000, 64, heads=4, key_heads=1, causal=True),
    Shape(97, 97, 96, heads=4, key_heads=4, causal=True),
    Shape(513, 513, 256, heads=4, key_heads=4),
    Shape(64, 64, 32, heads=4, key_heads=4, causal=True, spread=8),
    Shape(33, 65, 16, heads=4, key_heads=2),
    Shape(1025, 1025, 64, heads=8, key_heads=2, causal=True, padding=True),
)
REAL = Bench(GPU, (64, 128), (4096, 16384), SHAPES, HALVES, 8192, 99, dry=False)
DRY = Bench(
    Setting("cpu", tokens=256, d_model=128, cached=256, **FALSE),
    widths=(64,),
    lengths=(32,),
    shapes=(Shape(17, 17, 16, causal=True), Shape(3, 40, 16, heads=4, causal=True, padding=True)),
    dtypes=(torch.bfloat16,),
    square=64,
    candidates=1,
    dry=True,
)


def steps(*, dry: bool) -> list[Step]:
    """The steps in their order."""
    bench = DRY if dry else REAL
    order = (device, compile_all, correctness, limits, speed, decoding, plain, search)
    return [_named(step, bench) for step in order]


def _named(step: Callable[[Bench, Report], Rows], bench: Bench) -> Step:
    bound = partial(step, bench)
    bound.__name__ = step.__name__  # type: ignore[attr-defined]
    return bound


def device(bench: Bench, report: Report) -> Rows:
    """What it runs on."""
    found: Row = {"python": platform.python_version(), "torch": torch.__version__}
    found |= {"triton": triton.__version__, "date": f"{date.today()}", "cores": os.cpu_count()}
    if bench.dry:
        yield "no GPU: a dry run, in which nothing is measured", {**found, "clock": "false"}
        return
    query = ["nvidia-smi", "--query-gpu=clocks.sm,clocks.max.sm,clocks.mem,power.limit"]
    try:
        asked = subprocess.run(
            [*query, "--format=csv,noheader"], capture_output=True, text=True, timeout=20
        )
        found["clocks now, at most, of the memory, power"] = asked.stdout.strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        found["nvidia-smi"] = type(error).__name__
    yield torch.cuda.get_device_name(), found


def compile_all(bench: Bench, report: Report) -> Rows:
    """Fill Triton's cache, on all cores at once, with every kernel that the next steps launch."""
    calls: dict[str, Callable[[], object]] = {
        f"{shape} {dtype}": partial(ours_of, shape, dtype, bench.on.device)
        for shape, dtype in product(bench.shapes, bench.dtypes)
    }
    for width, length, causal in product(bench.widths, bench.lengths, (False, True)):
        words = f"width {width}, {length}, {'causal' if causal else 'full'}"
        calls[words] = partial(both_ways, bench, width, length, causal)
    for width, key_heads in product(bench.widths, (4, 16)):
        make = partial(flash_gpu.decoding, width, 16, key_heads, untimed(bench))
        calls[f"decode {width}, {key_heads} key heads"] = make
    made = 0
    for name, _, error in in_pool(calls, report.left / 2, interpreter=bench.dry):
        made += not error
        if error:
            yield name, {"error": error}
    yield f"{made} of {len(calls)} calls made once", {"processes": processes()}


def untimed(bench: Bench) -> Setting:
    """The same sizes with clocks that run once."""
    return replace(bench.on, **FALSE)


def both_ways(bench: Bench, width: int, length: int, causal: bool) -> None:
    """Ours once, forward and backward, in the sizes that are timed."""
    flash_gpu.measure(BACKENDS["ours"], width, length, causal, torch.bfloat16, untimed(bench))


def processes() -> int:
    """How many compile at a time: each has a context on the GPU, of about half a gigabyte."""
    return max(1, min(14, (os.cpu_count() or 2) - 1))


def in_pool(
    calls: Mapping[str, Callable[[], Any]], seconds: float, *, interpreter: bool = False
) -> Iterator[tuple[str, Any, str]]:
    """Run calls in processes of their own; yield, as each ends, its name, result and error.

    What has not ended by then is left behind, and its processes are ended.
    """
    pool = ProcessPoolExecutor(processes(), multiprocessing.get_context("spawn"))
    # Processes begin when calls are handed over, with the environment of that moment.
    with patch.dict(os.environ, {"TRITON_INTERPRET": str(int(interpreter))}):
        waiting = {pool.submit(make): name for name, make in calls.items()}
    try:
        for done in as_completed(waiting, timeout=max(1.0, seconds)):
            error = done.exception()
            told = f"{type(error).__name__}: {error}"[:300] if error else ""
            yield waiting[done], None if error else done.result(), told
    except TooLong:
        late = sum(not job.done() for job in waiting)
        yield f"{late} calls", None, f"not done within {seconds:.0f} s"
    finally:
        for process in list((pool._processes or {}).values()):
            process.kill()
        pool.shutdown(cancel_futures=True)


def ours_of(shape: Shape, dtype: torch.dtype, where: str) -> tuple[torch.Tensor, ...]:
    """Output and gradients by the kernels."""
    q, k, v, d = (tensor.to(where) for tensor in shape.draw(dtype))
    leaves = [tensor.requires_grad_() for tensor in (q, k, v)]
    real = shape.real()
    real = None if real is None else real.to(where)
    output = attend(*leaves, causal=shape.causal, real=real, backend="triton")
    return tuple(t.cpu() for t in (output.detach(), *torch.autograd.grad(output, leaves, d)))


def correctness(bench: Bench, report: Report) -> Rows:
    """Output and gradients against float64: at most twice PyTorch's error, and rounding."""
    for shape, dtype in product(bench.shapes, bench.dtypes):
        wrong = too_far(shape, dtype, ours_of(shape, dtype, bench.on.device))
        yield f"{shape} {str(dtype)[6:]}", {"right": not wrong, **({"far": wrong} if wrong else {})}


def limits(bench: Bench, report: Report) -> Rows:
    """What the chip gives in a large product and in a copy, beside its data sheet."""
    n, on = bench.square, bench.on
    a, b = torch.randn(2, n, n, device=on.device, dtype=torch.bfloat16)
    rate = 2 * n**3 / 1e9 / flash_gpu.milliseconds(lambda: a @ b, on.timed)
    names = [] if bench.dry else [n for n in CHIP if n in torch.cuda.get_device_name()]
    sheet = {"data sheet": CHIP[names[0]]} if names else {}
    yield f"bfloat16 product of {n} by {n}, TFLOP/s", {"measured": rate, **sheet}
    source = torch.empty(n * n * 8, dtype=torch.uint8, device=on.device)
    target = torch.empty_like(source)
    took = flash_gpu.milliseconds(lambda: target.copy_(source), on.timed)
    yield "copying, GB/s read and written", {"measured": 2 * source.numel() / 1e6 / took}


def practical(report: Report) -> float:
    """The TFLOP/s of the large product, as measured; NaN if that failed."""
    rows = [row for row in report.rows if row["step"] == "limits" and "product" in row["what"]]
    return float(rows[0]["measured"]) if rows else math.nan


def speed(bench: Bench, report: Report) -> Rows:
    """TFLOP/s forward and backward, ours and each backend of PyTorch's, pinned."""
    for length, width, causal in product(bench.lengths, bench.widths, (True, False)):
        measure = partial(flash_gpu.measure, on=bench.on)
        found = {
            name: measure(BACKENDS[name], width, length, causal, torch.bfloat16) for name in RIVALS
        }
        for place, direction in enumerate(("forward", "backward")):
            rates = {name: both[place] for name, both in found.items()}
            ratios = {f"ours/{n}": rates["ours"] / rates[n] for n in RIVALS[1:]}
            share = {"of the large product": rates["ours"] / practical(report)}
            kind = "causal" if causal else "full"
            yield f"width {width} {kind} {length} {direction}, TFLOP/s", rates | ratios | share


def decoding(bench: Bench, report: Report) -> Rows:
    """One token against a long cache, beside the time that the memory takes."""
    for width, key_heads in product(bench.widths, (4, 16)):
        times = flash_gpu.decoding(width, 16, key_heads, bench.on)
        ratio = {"ours/memory": times["ours"] / times["memory"]}
        what = f"width {width}, 16 heads over {key_heads}, {bench.on.cached} keys, ms"
        yield what, times | ratio


def plain(bench: Bench, report: Report) -> Rows:
    """Attention that stores all scores: its time and memory in times of ours."""
    for width in bench.widths:
        rates, peaks = {}, {}
        for name in ("ours", "plain"):
            attend_as = BACKENDS[name]
            args = (attend_as, width, bench.shortest, True, torch.bfloat16, bench.on)
            if not bench.dry:
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
            rates[name] = flash_gpu.measure(*args)
            peaks[name] = 0.0 if bench.dry else torch.cuda.max_memory_allocated() / 1e9
        ratios = {
            f"{direction}, in times of plain": rates["ours"][place] / rates["plain"][place]
            for place, direction in enumerate(("forward", "backward"))
        }
        memory = {} if bench.dry else {f"peak of {n}, GB": peak for n, peak in peaks.items()}
        yield f"width {width} causal {bench.shortest}", ratios | memory


def search(bench: Bench, report: Report) -> Rows:
    """Time other tiles: of each kernel the right ones, the fastest first."""
    capability = 90 if bench.dry else 10 * torch.cuda.get_device_capability()[0]
    kernels = list(product(tune_flash_gpu.ENTRIES, bench.widths))
    jobs = {
        f"{entry} {width} {tiles} {tiles.ahead}": partial(
            promise, bench, entry, width, capability, tiles
        )
        for entry, width in kernels
        for tiles in tune_flash_gpu.CANDIDATES[entry][: bench.candidates]
    }
    fitting: dict[tuple[Entry, int], list[Tiles]] = {kernel: [] for kernel in kernels}
    for name, found, error in in_pool(jobs, SHARED_BY_SEARCH * report.left):
        if error:
            yield name, {"error": error}
        elif found is not None:
            entry, width, tiles = found
            fitting[entry, width].append(tiles)
    fits = sum(map(len, fitting.values()))
    yield f"{fits} of {len(jobs)} candidates compile, fit and do not spill", {}
    for entry, width in kernels:
        known = configs.tiles(entry, width, half=True, capability=capability // 10)
        tried = list(dict.fromkeys([known, *fitting[entry, width]]))
        for tiles, causal, full in tune_flash_gpu.Search(entry, width, bench.on).ranked(tried):
            words = f"{entry} {width} {tiles}{' as it is' if tiles == known else ''}, ms"
            yield words, {"ahead": tiles.ahead, "causal": causal, "full": full}


def promise(
    bench: Bench, entry: Entry, width: int, capability: int, tiles: Tiles
) -> tuple[Entry, int, Tiles] | None:
    """What was given; None if the kernel spills or is too big.

    Where there is a GPU it is launched too, so that it is there when it is timed.
    """
    case = flash_compiled_gpu.Case(capability, "bfloat16", width, entry, True, False)
    with tune_flash_gpu.instead(entry, width, tiles):
        made = flash_compiled_gpu.resources(flash_compiled_gpu.compiled(case))
        if made.stack or made.shared > flash_compiled_gpu.LEAST_SHARED[capability]:
            return None
        for causal in () if bench.dry else (True, False):
            tune_flash_gpu.run(*tune_flash_gpu.drawn(entry, width, bench.on), causal)
    return entry, width, tiles
