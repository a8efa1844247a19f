"""Notice when an answer calls the very thing it was asked to build."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from types import FrameType
from typing import Any
from unittest.mock import patch

from torch._ops import OpOverload
from torch.overrides import TorchFunctionMode, resolve_name

from notebook_judge.checks.memory import Operators
from notebook_judge.course import course

# What each shortcut looks like among the names of PyTorch's functions and operators.
SHORTCUTS = {
    "softmax": ("softmax",),
    "attention": (
        *("scaled_dot_product", "multi_head_attention", "transformer_encoder_layer"),
        "math_attention",
    ),
    # A whole layer of PyTorch's. Its fused attention inside the learner's own layer is allowed.
    "layer": ("multi_head_attention", "transformer_encoder_layer"),
    "logsumexp": ("logsumexp", "logcumsumexp"),
    # Where a kernel should compute it.
    "exponential": (
        *("aten.exp.", "aten.exp_.", "aten.exp2", "aten.expm1", "aten.special_exp"),
        *("aten.pow", "aten.sigmoid", "aten.tanh", "aten.cosh"),
    ),
    # Forbidden where memory is measured or Triton is to compute: NumPy's work is invisible here.
    "NumPy": ("Tensor.numpy", "Tensor.__array__", "Tensor.__dlpack__"),
    # Forbidden there too: numbers that leave their tensors are no longer counted.
    "numbers": ("Tensor.tolist", "Tensor.item", "Tensor.__float__"),
    # Their multiplications are made where none can be counted.
    "uncounted": (
        "scaled_dot_product",
        "multi_head_attention",
        "convolution",
        "conv1d",
        "lstm",
        "gru",
        "rnn_",
        "transformer_encoder_layer",
    ),
    # Nothing to notice by its name, but that a kernel was never launched.
    "no kernel": (),
    "norm": ("layer_norm", "rms_norm", "group_norm", "batch_norm", "instance_norm"),
}
WATCHED = frozenset({"NumPy", "numbers", "no kernel"})  # no operators of PyTorch's
ELSEWHERE = "another thread or process"  # where nothing can be watched
_WORDS = {
    "uncounted": "a layer of PyTorch's whose multiplications are not counted",
    "NumPy": "NumPy",
    "numbers": "`tolist`, `item` or `float`, which take numbers out of a tensor",
}
_LAUNCHES = ("GridExecutor.__call__", "JITFunction.run")
# Parts of the judge that build no model: an answer is called by some and may look at its weights.
_EXEMPT = (
    "notebook_judge.checks.calls",
    "notebook_judge.checks.cases",
    "notebook_judge.checks.clock",
    "notebook_judge.checks.memory",
    "notebook_judge.checks.modules",
    "notebook_judge.checks.other_inputs",
    "notebook_judge.checks.shortcuts",
    "notebook_judge.checks.modes",
)
# Calls that hand work to a thread or process that may be waiting. A queue may lead to one too, but
# in an answer it is far more likely to be a search's own.
_POOLS = ("concurrent.futures", "multiprocessing")
_HANDED_OVER = frozenset({"apply", "apply_async", "map", "map_async", "put", "send", "submit"})
# A progress bar looks after itself from a thread of its own, which lives on.
_BARS = "tqdm."


@lru_cache(maxsize=4096)  # asked at every operation
def _shortcuts(func: Any, forbidden: frozenset[str]) -> tuple[str, ...]:
    """The forbidden shortcuts, in words, that a function or operator of PyTorch's is."""
    operator = isinstance(func, OpOverload)
    name = str(func) if operator else resolve_name(func) or getattr(func, "__name__", "")
    found = (one for one in forbidden if any(part in name for part in SHORTCUTS[one]))
    return tuple(_WORDS.get(one, f"PyTorch's {one}") for one in found)


class _Functions(TorchFunctionMode):
    """Sees Python-level calls, which nn.MultiheadAttention's slow path cannot hide from."""

    def __init__(self, seen: list[str], forbidden: frozenset[str]) -> None:
        super().__init__()
        self._seen, self._forbidden = seen, forbidden

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        self._seen += _shortcuts(func, self._forbidden)
        return func(*args, **(kwargs or {}))


class _Operators(Operators):
    """Sees what reaches the dispatcher, under whatever name it was called."""

    def __init__(self, seen: list[str], forbidden: frozenset[str]) -> None:
        super().__init__()
        self._seen, self._forbidden = seen, forbidden

    def run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._seen += _shortcuts(func, self._forbidden)
        return func(*args, **kwargs)


@contextmanager
def watch(
    forbidden: frozenset[str], allowed: tuple[str, ...] = (), alone: bool = False
) -> Iterator[list[str]]:
    """Collect the forbidden operations that run inside the block.

    Args:
        forbidden: keys of ``SHORTCUTS``. Noticed in any case: functions of this course's package,
            which are what the exercises build, and what is handed to threads or processes that
            were there before. A thread that begins in the block is watched like the block.
        allowed: modules of the package that the answer may build on.
        alone: whether something else follows the block that sees its own thread alone; then other
            threads are noticed.

    Yields:
        A list that fills up in the order of the calls, each in words.
    """
    seen: list[str] = []
    launched: list[bool] = []
    watched: set[threading.Thread] = set()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        # Python runs this at every call and every return, so it must be cheap.
        if event != "call":
            return
        module = frame.f_globals.get("__name__", "")
        if module.startswith(prefixes):
            if not module.startswith(exempt):
                # Of a method the class: what a learner has written is `MultiHeadAttention(…)`.
                seen.append(f"the course's `{frame.f_code.co_qualname.partition('.')[0]}`")
        elif module.startswith("triton.runtime") and frame.f_code.co_qualname in _LAUNCHES:
            launched.append(True)
        elif frame.f_code.co_name in _HANDED_OVER and module.startswith(_POOLS):
            threads = getattr(frame.f_locals.get("self"), "_threads", None)
            if threads is None or not watched.issuperset(threads):
                seen.append(ELSEWHERE)

    @contextmanager
    def watching() -> Iterator[None]:
        with (
            # Each sees every operation, which takes time: only where something is to be noticed.
            _Functions(seen, forbidden) if forbidden else nullcontext(),
            _Operators(seen, forbidden) if forbidden - WATCHED else nullcontext(),
        ):
            previous: Any = sys.getprofile()
            sys.setprofile(profile)
            try:
                yield
            finally:
                sys.setprofile(None)
                if hasattr(previous, "enable"):  # cProfile's, which only it can put back
                    previous.enable()
                else:
                    sys.setprofile(previous)

    def start(thread: threading.Thread) -> None:
        if not type(thread).__module__.startswith(_BARS):
            if alone:
                seen.append(ELSEWHERE)
            watched.add(thread)
            thread.run = watching()(thread.run)  # type: ignore[method-assign]
        start_thread(thread)

    # What an allowed module calls in turn is not the answer's doing.
    of = course()
    parts = (*of.shown, *((*of.underneath, *allowed) if allowed else ()))
    exempt, prefixes = (*_EXEMPT, *(f"{of.package}.{part}" for part in parts)), of.prefixes
    start_thread = threading.Thread.start
    with patch.object(threading.Thread, "start", start), watching():
        yield seen
        if "no kernel" in forbidden and not launched:
            seen.append("no Triton kernel")
