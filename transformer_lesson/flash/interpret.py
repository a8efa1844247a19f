"""Triton's interpreter: it runs a kernel on the CPU, one program after the other."""

import os
import sys


def use_interpreter() -> None:
    """Let Triton run on the CPU in this process. Call it before anything imports Triton.

    Raises:
        RuntimeError: Triton was imported already, and compiles for a GPU.
    """
    if "triton" in sys.modules and not interpreting():
        raise RuntimeError(
            "Triton was imported before its interpreter was asked for. Restart the kernel and call "
            "use_interpreter() first, before flash attention, torch.compile or the FLOP counter."
        )
    os.environ["TRITON_INTERPRET"] = "1"


def interpreting() -> bool:
    """Whether Triton's kernels run on the CPU."""
    return os.environ.get("TRITON_INTERPRET") == "1"
