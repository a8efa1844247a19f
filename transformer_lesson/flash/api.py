"""``flash_attention``: exact attention in memory that grows with the tokens, not their square."""

import importlib.util
import math
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from transformer_lesson.flash.function import FlashFunction
from transformer_lesson.flash.interpret import interpreting
from transformer_lesson.validation import arguments, tensors

Backend = Literal["auto", "tiled", "triton"]


class FlashMask(NamedTuple):
    """What queries may see, said without a table of all pairs.

    Attributes:
        causal: whether each query sees the keys up to its own place only.
        real: boolean ``(batch, keys)``, False where a key is padding; None: no padding.
    """

    causal: bool
    real: Tensor | None

    def dense(self, queries: int, keys: int, device: torch.device) -> Tensor:
        """Return the same as a mask ``(batch or 1, 1, queries, keys)``, True = may attend."""
        rows = torch.arange(queries, device=device)[:, None] + keys - queries
        columns = torch.arange(keys, device=device)
        seen = (columns <= rows) | (not self.causal)
        return seen[None, None] if self.real is None else seen & self.real[:, None, None, :]


def flash_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    causal: bool = False,
    real: Tensor | None = None,
    scale: float | None = None,
    return_lse: bool = False,
    backend: Backend = "auto",
) -> Tensor | tuple[Tensor, Tensor]:
    """Attend without ever holding all scores (Dao et al. 2022; Dao 2023).

    Any strides will do; the kernels copy only what does not hold the numbers of a row side by side.

    Args:
        query: ``(batch, heads, queries, d_head)``, floating point.
        key: ``(batch, key heads, keys, d_head)``; where there are fewer key heads than heads,
            neighboring heads share one (grouped-query attention).
        value: the shape of ``key``.
        causal: each query sees the keys up to its own place; the last query is the last key.
        real: boolean ``(batch, keys)``, False where a key is padding.
        scale: what dot products are multiplied by; by default 1/√d_head.
        return_lse: return the log-sum-exp of each query's scores too.
        backend: ``"tiled"`` is plain PyTorch, ``"triton"`` the kernels, on a GPU or in Triton's
            interpreter; ``"auto"`` is Triton on a GPU that it knows and tiled elsewhere.

    Returns:
        The output ``(batch, heads, queries, d_head)``; a query that may attend to nothing gets 0.
        With ``return_lse`` also the log-sum-exp ``(batch, heads, queries)``, float32 (float64 for
        float64), which takes no gradient.

    Raises:
        TypeError: dtypes differ or do not fit.
        ValueError: shapes do not fit together, or ``scale`` is not a positive number.
        RuntimeError: the backend that was asked for cannot run here, or the GPU has too little
            shared memory for a tile; the message says why. Or second derivatives are asked for.
    """
    tensors.check_flash(query, key, value)
    if real is not None:
        tensors.check_real(real, key)
    arguments.check_flags(causal=causal, return_lse=return_lse)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    tensors.check_scale(scale, query)
    chosen = _chosen(backend, query)
    output, log_sum_exp = FlashFunction.apply(query, key, value, real, causal, scale, chosen)
    return (output, log_sum_exp) if return_lse else output


def masked_flash_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: FlashMask | Tensor | None, bias: Tensor | None
) -> Tensor:
    """Attend as a layer of a model asks for it.

    Raises:
        TypeError: the mask is a table of all pairs, or there is a bias: both need what flash
            attention avoids. Or the mask is something else.
    """
    if isinstance(mask, Tensor) or bias is not None:
        what = "a bias on the scores" if bias is not None else "a table of all pairs as mask"
        raise TypeError(
            f"attention='flash' was given {what}; it never holds all pairs of tokens. "
            "Give a FlashMask, or use attention='fused'."
        )
    if mask is None:
        mask = FlashMask(causal=False, real=None)
    if not isinstance(mask, FlashMask):
        raise TypeError(f"the mask is a {type(mask).__name__}; expected a FlashMask, or None.")
    output = flash_attention(query, key, value, causal=mask.causal, real=mask.real)
    assert isinstance(output, Tensor)
    return output


def why_not_triton(query: Tensor) -> str:
    """Say why the Triton kernels cannot compute attention for ``query``; empty if they can."""
    if importlib.util.find_spec("triton") is None:
        return "Triton is not installed; it exists for Linux alone"
    if query.dtype == torch.float64:
        return "the kernels compute in float32; float64 is for backend='tiled'"
    if interpreting():
        return "" if query.device.type == "cpu" else "Triton's interpreter works on CPU tensors"
    if query.device.type != "cuda":
        return (
            f"the tensors are on {query.device.type}, Triton needs a GPU. To run its kernels on "
            "the CPU, restart and call use_interpreter() of transformer_lesson.flash.interpret "
            "before anything imports Triton"
        )
    if torch.version.hip is not None:
        return "the kernels are written for NVIDIA's GPUs"
    if torch.cuda.get_device_capability(query.device) < (8, 0):
        return "the GPU is older than compute capability 8.0"
    return ""


def _chosen(backend: Backend, query: Tensor) -> Literal["tiled", "triton"]:
    arguments.check_choice("backend", backend, Backend)
    if backend == "tiled":
        return "tiled"
    reason = why_not_triton(query)
    if backend == "triton":
        if reason:
            raise RuntimeError(f"backend='triton' cannot run here: {reason}.")
        return "triton"
    return "triton" if query.device.type == "cuda" and not reason else "tiled"
