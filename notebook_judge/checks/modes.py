"""Settings for a whole session, and the judge's own in their place.

What a learner sets once, such as ``torch.set_default_dtype(torch.float64)``, reaches all that a
process computes after it. The judge draws, refers and compares under settings of its own, and calls
answers under the same, in a notebook as in the grader; the learner's are put back after it.
"""

import gc
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn, overrides
from torch.backends import cuda, mkldnn
from torch.utils import _python_dispatch
from torch.utils._device import DeviceContext

SEED = 7_305_862_194_310_577  # nobody's own: that an answer sets one is noticed
SETS_SEED = "sets the seed of all random numbers to come"


class Mode(NamedTuple):
    """A setting.

    Attributes:
        read: what it is.
        write: sets it to what ``read`` has given.
        neutral: what it is for the judge.
    """

    read: Callable[[], Any]
    write: Callable[[Any], object]
    neutral: Any


def _flushes() -> bool:
    return sys.float_info.min * sys.float_info.epsilon == 0


def _autocast() -> tuple[Any, ...]:
    torch.autocast_increment_nesting()
    entered = torch.autocast_decrement_nesting()
    dtype, cached = torch.get_autocast_dtype("cpu"), torch.is_autocast_cache_enabled()
    return torch.is_autocast_enabled("cpu"), dtype, cached, entered


def _set_autocast(state: tuple[Any, ...]) -> None:
    # Rounded weights are kept until the outermost block ends: in one that a learner entered and
    # never left, an answer would go on computing with weights from before its step.
    torch.clear_autocast_cache()
    while torch.autocast_increment_nesting() <= state[3]:
        pass
    while torch.autocast_decrement_nesting() > state[3]:
        pass
    torch.set_autocast_enabled("cpu", state[0])
    torch.set_autocast_dtype("cpu", state[1])
    torch.set_autocast_cache_enabled(state[2])


def _fused() -> tuple[bool, ...]:
    return cuda.flash_sdp_enabled(), cuda.mem_efficient_sdp_enabled(), cuda.math_sdp_enabled()


def _set_fused(enabled: tuple[bool, ...]) -> None:
    cuda.enable_flash_sdp(enabled[0])
    cuda.enable_mem_efficient_sdp(enabled[1])
    cuda.enable_math_sdp(enabled[2])


def _precision() -> Mode:
    products: Any = getattr(mkldnn, "matmul", None)
    if products is None:  # before PyTorch 2.9
        read, write = torch.get_float32_matmul_precision, torch.set_float32_matmul_precision
        return Mode(read, write, "highest")
    return Mode(
        lambda: products.fp32_precision,
        lambda precision: setattr(products, "fp32_precision", precision),
        "ieee",
    )


def _entered() -> list[Any]:
    """What sees or changes all operations, such as ``with torch.device(…)``, and all gradients."""
    held: Any = torch._C._autograd
    hooks: list[Any] = []
    while pair := held._top_saved_tensors_default_hooks(True):
        held._pop_saved_tensors_default_hooks()
        hooks.insert(0, pair)
    for pair in hooks:
        held._push_saved_tensors_default_hooks(*pair)
    functions = overrides._get_current_function_mode_stack()
    operators = _python_dispatch._get_current_dispatch_mode_stack()
    # The default device is one of the functions' modes, and is kept beside them for this thread.
    return [hooks, functions, operators, dict(vars(torch._GLOBAL_DEVICE_CONTEXT))]


def _enter(state: list[Any]) -> None:
    now, held = _entered(), torch._C._autograd
    for _ in now[0]:
        held._pop_saved_tensors_default_hooks()
    for pair in state[0]:
        held._push_saved_tensors_default_hooks(*pair)
    for module, old, new in zip((overrides, _python_dispatch), now[1:3], state[1:3], strict=True):
        for _ in old:
            module._pop_mode()
        for mode in new:
            module._push_mode(mode)
    vars(torch._GLOBAL_DEVICE_CONTEXT).clear()
    vars(torch._GLOBAL_DEVICE_CONTEXT).update(state[3])


_HOOKS = [
    hooks
    for name, hooks in vars(nn.modules.module).items()
    if name.startswith("_global_") and isinstance(hooks, dict)
]


def _set_hooks(states: Sequence[dict]) -> None:
    for hooks, state in zip(_HOOKS, states, strict=True):
        hooks.clear()
        hooks.update(state)


_PRINTED: dict[str, Any] = {  # by NumPy, as it does if nothing is set
    **{"precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 75, "suppress": False},
    **{"nanstr": "nan", "infstr": "inf", "sign": "-", "formatter": None, "floatmode": "maxprec"},
    "legacy": False,
}

_MODES = {
    # First: the others may need more calls within calls than a learner has left. As in Jupyter.
    "limit of recursion": Mode(sys.getrecursionlimit, sys.setrecursionlimit, 3000),
    "turns of threads": Mode(sys.getswitchinterval, sys.setswitchinterval, 0.005),
    "garbage collection": Mode(gc.isenabled, lambda on: (gc.disable, gc.enable)[on](), True),
    "modes that are entered": Mode(_entered, _enter, [[], [], [], {}]),
    "default dtype": Mode(torch.get_default_dtype, torch.set_default_dtype, torch.float32),
    "seed": Mode(torch.initial_seed, torch.default_generator.manual_seed, SEED),
    "autocast": Mode(_autocast, _set_autocast, (False, torch.bfloat16, True, 0)),
    "products of matrices": _precision(),
    "numbers next to zero": Mode(_flushes, torch.set_flush_denormal, False),
    "fused attention": Mode(_fused, _set_fused, (True, True, True)),
    "deterministic operators": Mode(
        torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode, 0
    ),
    "detection of anomalies": Mode(
        lambda: (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()),
        lambda state: torch.set_anomaly_enabled(*state),
        (False, True),
    ),
    # Several of PyTorch's wait for each other by computing: on a busy machine an answer of a
    # second took twenty, and was said to be without end.
    "threads": Mode(torch.get_num_threads, torch.set_num_threads, 1),
    "errors of NumPy": Mode(
        np.geterr,
        lambda kinds: np.seterr(**kinds),
        {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"},
    ),
    "hooks of all modules": Mode(
        lambda: [dict(hooks) if hooks else {} for hooks in _HOOKS], _set_hooks, [{} for _ in _HOOKS]
    ),
}
# Numbers as text. To look takes longer than a small answer, and no judgement reads them.
_PRINT_MODES = {
    "PyTorch's": Mode(
        torch._tensor_str.get_printoptions,
        lambda options: torch.set_printoptions(**options),
        {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None},
    ),
    "NumPy's": Mode(
        lambda: {n: o for n, o in np.get_printoptions().items() if n in _PRINTED},
        lambda options: np.set_printoptions(**options),
        _PRINTED,
    ),
}


@contextmanager
def judging() -> Iterator[None]:
    """Judge an exercise inside the block, under the judge's settings and random numbers.

    All is put back at the end, so that what a learner draws does not depend on a check.
    """
    with _random_numbers_kept(), neutral(), _written(_PRINT_MODES):
        np.random.seed(SEED % 2**32)
        random.seed(SEED)
        yield


@contextmanager
def neutral() -> Iterator[None]:
    """Compute under the judge's settings inside the block; what it sets itself is undone, too."""
    with (
        _written(_MODES),
        torch.inference_mode(False),
        torch.enable_grad(),
        warnings.catch_warnings(action="ignore"),  # the verdict says what matters of an answer
    ):
        yield


@contextmanager
def _written(modes: Mapping[str, Mode]) -> Iterator[None]:
    before = [(mode, mode.read()) for mode in modes.values()]
    for mode, now in before:
        if now != mode.neutral:
            mode.write(mode.neutral)
    try:
        yield
    finally:
        for mode, then in reversed(before):
            if mode.read() != then:
                mode.write(then)


@contextmanager
def _random_numbers_kept() -> Iterator[None]:
    states = torch.get_rng_state(), np.random.get_state(), random.getstate()
    try:
        yield
    finally:
        torch.set_rng_state(states[0])
        np.random.set_state(states[1])
        random.setstate(states[2])


def settings() -> dict[str, object]:
    """What changes all that is computed later, by what is said of an answer that changes it."""
    modes = overrides._get_current_function_mode_stack()
    return {
        "sets the default dtype of all tensors to come": torch.get_default_dtype(),
        "sets the default device of all tensors to come": [
            mode.device for mode in modes if isinstance(mode, DeviceContext)
        ],
        "switches for all that follows whether gradients are recorded": (
            torch.is_grad_enabled(),
            torch.is_inference_mode_enabled(),
        ),
        "switches autocast for all that follows": torch.is_autocast_enabled("cpu"),
        SETS_SEED: torch.initial_seed(),
    }


def left_changed(before: dict[str, object]) -> str:
    """The first of the settings that is not what it was before, in words; empty if all are."""
    return next((words for words, now in settings().items() if before[words] != now), "")
