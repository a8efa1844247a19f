"""The kernels as a GPU compiles them: `make bench-gpu` runs these before it measures anything.

Here alone bfloat16 is rounded as the hardware does it; Triton's interpreter computes in float32.
"""

import pytest
import torch
from torch import Tensor

from tests.flash.exact import Shape, attend, too_far
from transformer_lesson.flash import configs
from transformer_lesson.flash.interpret import interpreting

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available() or interpreting(), reason="needs a GPU, without the interpreter"
)

HALVES = (torch.float16, torch.bfloat16)
# Every padded width of the table, at lengths that no tile divides. Nearly all have the same heads,
# so that a kernel is compiled once for several: compiling takes most of the time.
SHAPES = [
    Shape(queries, keys, width, heads=4, key_heads=2, causal=causal, padding=padding)
    for width in configs.widths(half=True)
    for queries, keys, causal, padding in (
        (1, 1, False, False),
        (77, 77, True, False),
        (257, 1025, True, False),
        (1025, 257, True, False),
        (300, 300, False, True),
        (513, 640, False, False),
        (1, 3000, True, False),
        (3, 1500, True, True),
    )
] + [Shape(200, 300, 72, heads=8, key_heads=1, causal=True), Shape(33, 65, 5), Shape(90, 90, 200)]


def ours(shape: Shape, dtype: torch.dtype) -> tuple[Tensor, ...]:
    q, k, v, d = (tensor.cuda() for tensor in shape.draw(dtype))
    leaves = [tensor.requires_grad_() for tensor in (q, k, v)]
    real = shape.real()
    output = attend(
        *leaves, causal=shape.causal, real=None if real is None else real.cuda(), backend="triton"
    )
    found = (output.detach(), *torch.autograd.grad(output, leaves, d))
    return tuple(tensor.cpu() for tensor in found)


@pytest.mark.parametrize("dtype", [*HALVES, torch.float32], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_error_is_at_most_twice_pytorchs(shape: Shape, dtype: torch.dtype) -> None:
    assert not too_far(shape, dtype, ours(shape, dtype))


@pytest.mark.parametrize("width", [64, 128])
def test_repeats_agree_bit_for_bit_on_poisoned_memory(width: int) -> None:
    shape = Shape(1025, 1025, width, heads=8, key_heads=4, causal=True)
    first = ours(shape, torch.bfloat16)
    for _ in range(20):
        poison = torch.full((2**26,), float("nan"), device="cuda")  # what empty() will find
        del poison
        again = ours(shape, torch.bfloat16)
        assert all(torch.equal(one, other) for one, other in zip(first, again, strict=True))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize("width", configs.widths(half=True))
def test_padding_and_layouts_of_a_model(width: int, dtype: torch.dtype) -> None:
    """Holes, padding before and after the text; heads that lie side by side."""
    place = torch.arange(700, device="cuda")
    real = torch.stack((place > 200, (place < 90) | (place % 7 == 0), place < 300, place < 0))
    tensors = torch.randn(3, 4, 700, 2, width, device="cuda").to(dtype).transpose(2, 3)
    leaves = [tensor.detach().requires_grad_() for tensor in tensors]
    exact = [tensor.detach().double().requires_grad_() for tensor in tensors]
    output = attend(*leaves, causal=True, real=real, backend="triton")
    right = attend(*exact, causal=True, real=real, backend="tiled")
    assert output.transpose(1, 2).is_contiguous()
    upstream = torch.randn_like(output)
    found = (output, *torch.autograd.grad(output, leaves, upstream))
    expected = (right, *torch.autograd.grad(right, exact, upstream.double()))
    close = 3e-2 if dtype == torch.bfloat16 else 1e-4
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one.double(), other, rtol=close, atol=close)


def test_more_heads_than_most_axes_of_a_grid_hold() -> None:
    q, k, v = torch.randn(3, 35_000, 2, 17, 16, device="cuda", dtype=torch.float16)
    output = attend(q, k, v, backend="triton")
    exact = (q.float() @ k.float().mT / 4).softmax(-1) @ v.float()
    torch.testing.assert_close(output.float(), exact, rtol=1e-2, atol=1e-2)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_tensors_on_a_gpu_that_is_not_the_current_one() -> None:
    q, k, v = torch.randn(3, 1, 2, 100, 64, device="cuda:1")
    output = attend(q, k, v, backend="triton")
    exact = attend(q, k, v, backend="tiled")
    assert torch.cuda.current_device() == 0
    torch.testing.assert_close(output, exact, rtol=1e-4, atol=1e-4)


def test_memory_at_32k_tokens_is_that_of_inputs_outputs_and_gradients() -> None:
    *leaves, d = (  # each in a memory of its own, so that nothing else is held
        torch.randn(1, 8, 32768, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
        for _ in range(4)
    )
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    output = attend(*leaves, causal=True, backend="triton")
    torch.autograd.grad(output, leaves, d)
    needed = sum(tensor.numel() * 2 for tensor in (*leaves, *leaves, output, d))
    assert torch.cuda.max_memory_allocated() < needed + 64 * 2**20
