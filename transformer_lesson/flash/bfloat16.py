"""bfloat16 in Triton's interpreter: its version 3.7.1 cuts where a GPU rounds, and multiplies bits.

NumPy has no bfloat16, so the interpreter holds such numbers as whole numbers of 16 bits. It hands
these to ``numpy.matmul`` as they are, and turns float32 into bfloat16 without rounding to the
nearest. PyTorch's conversions, which are those of a GPU, take their place while our kernels run.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
import triton.language as tl
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle


@contextmanager
def mended() -> Iterator[None]:
    """Let the interpreter compute in bfloat16 as a GPU does."""
    dot, cast = InterpreterBuilder.create_dot, InterpreterBuilder.cast_impl

    def mended_dot(builder: Any, a: Any, b: Any, *others: Any) -> Any:
        return dot(builder, *(_numbers(one) for one in (a, b)), *others)

    def mended_cast(builder: Any, source: Any, target: Any) -> Any:
        if target.scalar != tl.bfloat16 or source.dtype.scalar != tl.float32:
            return cast(builder, _numbers(source), target)
        rounded = torch.from_numpy(np.ascontiguousarray(source.data)).bfloat16()
        return TensorHandle(rounded.view(torch.int16).numpy().view(np.uint16), tl.bfloat16)

    with patch.multiple(InterpreterBuilder, create_dot=mended_dot, cast_impl=mended_cast):
        yield


def _numbers(handle: Any) -> Any:
    """What the bits of bfloat16 stand for, in float32; anything else as it is."""
    if handle.dtype.scalar != tl.bfloat16:
        return handle
    bits = torch.from_numpy(np.ascontiguousarray(handle.data).view(np.int16))
    return TensorHandle(bits.view(torch.bfloat16).float().numpy(), tl.float32)
