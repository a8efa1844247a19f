"""Notice when an answer calls the very thing it was asked to build."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode

# What each shortcut looks like among the names of PyTorch's functions and operators.
SHORTCUTS = {
    "softmax": ("softmax",),
    "attention": ("scaled_dot_product", "multi_head_attention"),
}
_EXEMPT = ("transformer_lesson", "transformer_lesson.checks.shortcuts")


class _Functions(TorchFunctionMode):
    """Sees Python-level calls, which nn.MultiheadAttention's slow path cannot hide from."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        super().__init__()
        self._notice = notice

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        self._notice(resolve_name(func) or getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))


class _Operators(TorchDispatchMode):
    """Sees what reaches the dispatcher, under whatever name it was called."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Else the first operation imports the compiler, and with it Triton: a second lost, and
        # lesson 09 must choose Triton's interpreter before Triton is imported.
        return False

    def __init__(self, notice: Callable[[str], None]) -> None:
        super().__init__()
        self._notice = notice

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        self._notice(str(func))
        return func(*args, **(kwargs or {}))


@contextmanager
def watch(forbidden: frozenset[str]) -> Iterator[list[str]]:
    """Collect the forbidden operations that run inside the block.

    Args:
        forbidden: keys of ``SHORTCUTS``. Functions of this course's package are always noticed:
            they are what the exercises build.

    Yields:
        A list that fills up in the order of the calls, each in words.
    """
    seen: list[str] = []

    def notice(name: str) -> None:
        for shortcut in forbidden:
            if any(part in name for part in SHORTCUTS[shortcut]):
                seen.append(f"PyTorch's {shortcut}")

    def profile(frame: FrameType, event: str, _: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("transformer_lesson.") and module not in _EXEMPT:
            seen.append(f"the course's {frame.f_code.co_name}")

    with _Functions(notice), _Operators(notice):
        previous = sys.getprofile()
        sys.setprofile(profile)
        try:
            yield seen
        finally:
            sys.setprofile(previous)
