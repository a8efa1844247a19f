"""The kernels as a GPU compiles them: `make bench-gpu` runs these before it measures anything."""

import pytest
import torch
from torch import Tensor

from tests.flash.exact import Shape, plainly, pytorchs
from transformer_lesson.flash import configs, flash_attention
from transformer_lesson.flash.interpret import interpreting

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available() or interpreting(), reason="needs a GPU, without the interpreter"
)

NAMES = ("output", "gradient of query", "gradient of key", "gradient of value")
HALVES = (torch.float16, torch.bfloat16)
# Every padded width of the table, at lengths that no tile divides.
SHAPES = [
    Shape(queries, keys, width, heads=heads, key_heads=key_heads, causal=causal, padding=padding)
    for width in sorted({width for _, width in configs.HALF})
    for queries, keys, heads, key_heads, causal, padding in (
        (1, 1, 2, 2, False, False),
        (77, 77, 4, 2, True, False),
        (257, 1025, 2, 2, True, False),
        (1025, 257, 2, 1, True, False),
        (300, 300, 2, 2, False, True),
        (513, 640, 2, 2, False, False),
    )
]


def ours(shape: Shape, dtype: torch.dtype) -> tuple[Tensor, ...]:
    q, k, v, d = (tensor.cuda() for tensor in shape.draw(dtype))
    leaves = [tensor.requires_grad_() for tensor in (q, k, v)]
    real = shape.real()
    output = flash_attention(
        *leaves, causal=shape.causal, real=None if real is None else real.cuda(), backend="triton"
    )
    assert isinstance(output, Tensor)
    return output.detach(), *torch.autograd.grad(output, leaves, d)


@pytest.mark.parametrize("dtype", [*HALVES, torch.float32], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_error_is_at_most_twice_pytorchs(shape: Shape, dtype: torch.dtype) -> None:
    exact = plainly(shape, shape.draw(dtype), torch.float64)
    theirs = pytorchs(shape, dtype)
    for name, got, other, right in zip(NAMES, ours(shape, dtype), theirs, exact, strict=True):
        error, allowed = (got.cpu() - right).abs().max(), 2 * (other - right).abs().max()
        digits = max(torch.finfo(dtype).eps, 4 * torch.finfo(torch.float32).eps)
        rounding = digits * max(1.0, right.abs().max().item())
        assert error <= allowed + rounding, f"{name}: {error:.2e} against {allowed:.2e}"


@pytest.mark.parametrize("width", [64, 128])
def test_repeats_agree_bit_for_bit_on_poisoned_memory(width: int) -> None:
    shape = Shape(1025, 1025, width, heads=8, key_heads=4, causal=True)
    first = ours(shape, torch.bfloat16)
    for _ in range(20):
        poison = torch.full((2**26,), float("nan"), device="cuda")  # what empty() will find
        del poison
        again = ours(shape, torch.bfloat16)
        assert all(torch.equal(one, other) for one, other in zip(first, again, strict=True))


def test_memory_at_32k_tokens_is_that_of_inputs_outputs_and_gradients() -> None:
    q, k, v, d = torch.randn(4, 1, 8, 32768, 64, device="cuda", dtype=torch.bfloat16)
    leaves = [tensor.clone().requires_grad_() for tensor in (q, k, v)]
    del q, k, v
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    output = flash_attention(*leaves, causal=True, backend="triton")
    assert isinstance(output, Tensor)
    torch.autograd.grad(output, leaves, d)
    needed = sum(tensor.numel() * 2 for tensor in (*leaves, *leaves, output, d))
    assert torch.cuda.max_memory_allocated() < needed + 64 * 2**20
