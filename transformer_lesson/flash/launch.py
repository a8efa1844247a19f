"""Run the Triton kernels on tensors, forward and backward."""

from math import ceil
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from transformer_lesson.flash import configs
from transformer_lesson.flash.interpret import interpreting

LOG2_E = 1.4426950408889634


class TritonAttention(torch.autograd.Function):
    """Forward and backward by the kernels of ``kernels.py``."""

    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        real: Tensor | None,
        causal: bool,
        scale: float,
    ) -> tuple[Tensor, Tensor]:
        """Return the output ``(batch, heads, queries, d_head)`` and the log-sum-exp."""
        tensors = [_readable(t) for t in (query, key, value)]
        sizes = _Sizes(tensors[0], tensors[1], real, causal, scale)
        output = torch.empty_like(tensors[0])
        log_sum_exp = torch.empty(query.shape[:-1], dtype=torch.float32, device=query.device)
        sizes.run("forward", *tensors, sizes.real, output, log_sum_exp)
        ctx.save_for_backward(*tensors, sizes.real, output, log_sum_exp)
        ctx.sizes, ctx.dtype = sizes, query.dtype
        ctx.mark_non_differentiable(log_sum_exp)
        return output.to(query.dtype), log_sum_exp

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_output: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of query, key and value."""
        query, key, value, real, output, log_sum_exp = ctx.saved_tensors
        d_output = _readable(d_output)
        row_terms = torch.empty_like(log_sum_exp)
        ctx.sizes.run_row_term(output, d_output, row_terms)
        gradients = [torch.empty_like(tensor) for tensor in (query, key, value)]
        given = (query, key, value, real, d_output, log_sum_exp, row_terms)
        ctx.sizes.run("backward_keys", *given, *gradients[1:])
        ctx.sizes.run("backward_queries", *given, gradients[0])
        return *(gradient.to(ctx.dtype) for gradient in gradients), None, None, None


class _Sizes:
    """What all kernels of one call are told."""

    def __init__(
        self, query: Tensor, key: Tensor, real: Tensor | None, causal: bool, scale: float
    ) -> None:
        self.batch, self.heads, self.queries, self.width = query.shape
        self.key_heads, self.keys = key.shape[1:3]
        self.causal, self.scale, self.padding = causal, scale, real is not None
        # Without padding nothing reads it; a kernel still wants an address.
        self.real = query.new_ones(1, dtype=torch.uint8) if real is None else real.byte()
        self.padded = max(16, 1 << (self.width - 1).bit_length())
        self.half = query.element_size() == 2

    def run(self, name: configs.Kernel, *tensors: Tensor) -> None:
        from transformer_lesson.flash import kernels

        chosen = configs.tiles(name, self.padded, half=self.half, interpreted=interpreting())
        over_keys = name == "backward_keys"
        length, tile = (self.keys, chosen.keys) if over_keys else (self.queries, chosen.queries)
        rows = self.batch * (self.key_heads if over_keys else self.heads)
        getattr(kernels, name)[ceil(length / tile), rows](
            *tensors,
            self.queries,
            self.keys,
            self.scale * LOG2_E,
            HEADS=self.heads,
            GROUP=self.heads // self.key_heads,
            CAUSAL=self.causal,
            PADDING=self.padding,
            WIDTH=self.width,
            PADDED=self.padded,
            TILE_QUERIES=chosen.queries,
            TILE_KEYS=chosen.keys,
            num_warps=chosen.warps,
            num_stages=chosen.stages,
        )

    def run_row_term(self, output: Tensor, d_output: Tensor, row_terms: Tensor) -> None:
        from transformer_lesson.flash import kernels

        tile = 128 if interpreting() else 64
        kernels.row_term[ceil(self.queries / tile), self.batch * self.heads](
            output,
            d_output,
            row_terms,
            self.queries,
            WIDTH=self.width,
            PADDED=self.padded,
            TILE_QUERIES=tile,
        )


def _readable(tensor: Tensor) -> Tensor:
    # The interpreter multiplies bfloat16 wrongly: there the kernels get float32.
    if interpreting() and tensor.dtype == torch.bfloat16:
        tensor = tensor.float()
    return tensor.contiguous()
