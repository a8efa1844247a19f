"""Flash attention as PyTorch differentiates it: by ``backward``, and by ``torch.func``."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from transformer_lesson.flash.launch import triton_backward, triton_forward
from transformer_lesson.flash.tiled import tiled_backward, tiled_forward

FORWARD = {"tiled": tiled_forward, "triton": triton_forward}
BACKWARD = {"tiled": tiled_backward, "triton": triton_backward}
Given = tuple[Any, ...]


class FlashFunction(torch.autograd.Function):
    """Query, key, value, what is real, causal, scale and backend to output and log-sum-exp."""

    @staticmethod
    def forward(*given: Any) -> tuple[Tensor, Tensor]:
        """Return the output ``(batch, heads, queries, d_head)`` and the log-sum-exp."""
        *tensors, causal, scale, backend = given
        return FORWARD[backend](*tensors, causal=causal, scale=scale)

    @staticmethod
    def setup_context(ctx: Any, inputs: Given, output: tuple[Tensor, Tensor]) -> None:
        """Keep what the gradients are computed from."""
        ctx.save_for_backward(*inputs[:4], *output)
        ctx.options = inputs[4:]
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx: Any, d_output: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of query, key and value."""
        query, key, value, real, *found = ctx.saved_tensors
        causal, scale, backend = ctx.options
        gradients = _Gradients.apply(
            query, key, value, *found, d_output, real, causal, scale, backend
        )
        return *gradients, None, None, None, None

    @staticmethod
    def vmap(info: Any, in_dims: Given, *given: Any) -> tuple[tuple[Tensor, ...], tuple[int, ...]]:
        """Compute all at once, as one larger batch."""
        found = FlashFunction.apply(*_folded(info.batch_size, in_dims, given))
        return _unfolded(info.batch_size, found)


class _Gradients(torch.autograd.Function):
    """What ``FlashFunction`` saved, and the gradient of its output, to those of its inputs."""

    @staticmethod
    def forward(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        output: Tensor,
        log_sum_exp: Tensor,
        d_output: Tensor,
        real: Tensor | None,
        causal: bool,
        scale: float,
        backend: str,
    ) -> tuple[Tensor, Tensor, Tensor]:
        tensors = (query, key, value, output, log_sum_exp, d_output, real)
        return BACKWARD[backend](*tensors, causal=causal, scale=scale)

    @staticmethod
    def setup_context(ctx: Any, inputs: Given, output: tuple[Tensor, ...]) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *_: Tensor) -> None:
        raise RuntimeError(
            "second derivatives were asked for, which flash attention does not have. "
            "Use attention='reference'."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Given, *given: Any) -> tuple[tuple[Tensor, ...], tuple[int, ...]]:
        found = _Gradients.apply(*_folded(info.batch_size, in_dims, given))
        return _unfolded(info.batch_size, found)


def _folded(size: int, dims: Sequence[int | None], given: Given) -> list[Any]:
    """Each tensor ``(…, batch, …)`` with a dimension more as ``(size * batch, …)``."""
    return [
        argument
        if not isinstance(argument, Tensor)
        else argument.expand(size, *argument.shape).flatten(0, 1)
        if dim is None
        else argument.movedim(dim, 0).flatten(0, 1)
        for argument, dim in zip(given, dims, strict=True)
    ]


def _unfolded(size: int, found: Sequence[Tensor]) -> tuple[tuple[Tensor, ...], tuple[int, ...]]:
    whole = tuple(t.view(size, t.shape[0] // size, *t.shape[1:]) for t in found)
    return whole, (0,) * len(whole)
