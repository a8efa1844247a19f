"""Error against float64 at most twice PyTorch's own in the same precision, tiles and kernels.

The kernels run in Triton's interpreter, in bfloat16 too: inputs, weights and their gradients are
rounded where the kernels say, products of 16-bit numbers are added up in float32, as on a GPU.
"""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.fixtures import Patch
from tests.flash.exact import NAMES, Shape, attend, too_far
from transformer_lesson import seeded
from transformer_lesson.flash import flash_attention, tiled
from transformer_lesson.flash.api import Backend
from transformer_lesson.flash.softmax import Partial

SHAPES = (
    Shape(1, 1, 16),
    Shape(77, 77, 16, causal=True),
    Shape(113, 203, 32, causal=True),
    Shape(203, 113, 20, causal=True),
    Shape(97, 130, 64),
    Shape(1, 150, 16, causal=True),
    Shape(130, 1, 16, causal=True),
    Shape(70, 90, 24, heads=4, key_heads=2, causal=True),
    Shape(140, 70, 16, heads=3, key_heads=1),
    Shape(70, 150, 16, padding=True),
    Shape(130, 130, 16, padding=True, causal=True, heads=2, key_heads=1),
    Shape(64, 64, 16, spread=60.0, causal=True),
    Shape(33, 40, 128),
    Shape(20, 30, 256, batch=1, causal=True),
    Shape(150, 290, 16, heads=6, key_heads=2, causal=True),
    Shape(1, 700, 16, heads=8, key_heads=2),
    Shape(1, 300, 80, padding=True, heads=4, key_heads=1),
    Shape(40, 150, 80, batch=1, causal=True),
    Shape(30, 40, 90, batch=1),
    Shape(5, 420, 16, heads=6, key_heads=2, causal=True),
)
pytestmark = pytest.mark.sampled(3)  # kernels are slow where they are interpreted
BACKENDS = pytest.mark.parametrize("backend", ["tiled", "triton"])
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


def ours(shape: Shape, dtype: torch.dtype, backend: Backend) -> tuple[Tensor, ...]:
    q, k, v, d = shape.draw(dtype)
    leaves = [tensor.clone().requires_grad_() for tensor in (q, k, v)]
    output = attend(*leaves, causal=shape.causal, real=shape.real(), backend=backend)
    return output.detach(), *torch.autograd.grad(output, leaves, d)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@BACKENDS
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_error_is_at_most_twice_pytorchs(
    shape: Shape, backend: Backend, dtype: torch.dtype
) -> None:
    assert not too_far(shape, dtype, ours(shape, dtype, backend))


def never_rescaled(one: Partial, other: Partial) -> Partial:
    """Merge two pieces as if both had been computed with the same maximum."""
    maximum = torch.maximum(one.maximum, other.maximum)
    return Partial(maximum, one.total + other.total, one.weighted + other.weighted)


def rounded(dtype: torch.dtype) -> Callable[..., Tensor]:
    """Compute scores in ``dtype``: float16 has as many digits as the TF32 of a GPU."""
    masked = tiled._masked
    return lambda scores, *rest: masked(scores.to(dtype).float(), *rest)


@pytest.mark.parametrize(
    ("name", "worse"),
    [
        ("merge", never_rescaled),
        ("_masked", rounded(torch.bfloat16)),
        ("_masked", rounded(torch.float16)),
    ],
    ids=["never rescaled", "scores in bfloat16", "scores in float16"],
)
@pytest.mark.parametrize("spread", [1.0, 60.0])
def test_a_worse_kernel_is_too_far(
    name: str, worse: Callable[..., object], spread: float, monkeypatch: Patch
) -> None:
    shape = Shape(64, 64, 16, spread=spread, causal=True)
    defaults = tiled.tiled_forward.__kwdefaults__
    assert defaults  # tiles of 16 keys, so that there are several to merge
    monkeypatch.setitem(defaults, "tile_keys", 16)
    assert not too_far(shape, torch.float32, ours(shape, torch.float32, "tiled"))
    monkeypatch.setattr(tiled, name, worse)
    assert len(too_far(shape, torch.float32, ours(shape, torch.float32, "tiled"))) == len(NAMES)


@BACKENDS
def test_rows_that_see_nothing_are_zero_and_have_no_gradient(backend: Backend) -> None:
    shape = Shape(9, 4, 16, causal=True)  # the first five queries come before every key
    output, d_query, d_key, _ = ours(shape, torch.float32, backend)
    assert output[:, :, :5].eq(0).all()
    assert d_query[:, :, :5].eq(0).all()
    assert d_key.isfinite().all()


@BACKENDS
def test_second_derivatives_are_refused(backend: Backend) -> None:
    query = torch.ones(1, 1, 3, 16, requires_grad=True)
    output = attend(query, query, query, backend=backend)
    (gradient,) = torch.autograd.grad(output.sum(), query, create_graph=True)
    with pytest.raises(RuntimeError, match="second derivatives were asked for"):
        gradient.sum().backward()


@BACKENDS
@pytest.mark.parametrize("of_one", [False, True])
def test_functional_gradients_are_those_of_backward(backend: Backend, of_one: bool) -> None:
    """``torch.func``'s, of a batch and, by vmap, of each text; keys are shared by all."""
    query, key, value = (torch.randn(3, 2, 2, 5, 16, generator=seeded(i)) for i in range(3))
    query.requires_grad_()

    def loss(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return attend(query, key, value, causal=True, backend=backend).square().sum()

    gradient = torch.func.grad(loss)
    if of_one:
        found = torch.func.vmap(gradient, (0, None, 2))(query, key[0], value.movedim(0, 2))
    else:
        found = torch.stack([gradient(query[i], key[0], value[i]) for i in range(3)])
    torch.stack([loss(query[i], key[0], value[i]) for i in range(3)]).sum().backward()
    torch.testing.assert_close(found, query.grad)


@BACKENDS
def test_results_repeat_bit_for_bit(backend: Backend) -> None:
    shape = Shape(77, 113, 16, causal=True, padding=True)
    first, second = (ours(shape, torch.float32, backend) for _ in range(2))
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))


@BACKENDS
@pytest.mark.parametrize("causal", [False, True])
def test_log_sum_exp_is_that_of_the_scores(backend: Backend, causal: bool) -> None:
    shape = Shape(50, 70, 16, causal=causal)
    q, k, v, _ = shape.draw(torch.float32)
    _, found = flash_attention(q, k, v, causal=causal, return_lse=True, backend=backend)
    scores = (q @ k.mT / 4).masked_fill(~shape.mask(), -torch.inf)
    torch.testing.assert_close(found, scores.logsumexp(-1), rtol=1e-5, atol=1e-5)


def test_gradients_of_the_tiles_are_those_of_finite_differences() -> None:
    shape = Shape(5, 7, 4, heads=4, key_heads=2, batch=1, causal=True)
    inputs = [t.double().requires_grad_() for t in shape.draw(torch.float32)[:3]]
    assert torch.autograd.gradcheck(
        lambda q, k, v: flash_attention(q, k, v, causal=True, backend="tiled"), inputs
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_weights_and_their_gradients_are_rounded_before_they_are_multiplied(
    dtype: torch.dtype,
) -> None:
    """As on a GPU, and nowhere else: what rounds neither gives other last digits."""
    shape = Shape(64, 96, 32)
    q, k, v, d = (tensor.float() for tensor in shape.draw(dtype))
    scale = 1 / math.sqrt(shape.width)
    scores = scale * q @ k.mT
    exponentials = torch.exp(scores - scores.amax(-1, keepdim=True))
    total = exponentials.sum(-1, keepdim=True)
    weights = exponentials / total
    found = ours(shape, dtype, "triton")
    d_scores = weights * (d @ v.mT - (d * found[0].float()).sum(-1, keepdim=True))

    def computed(rounded: Callable[[Tensor], Tensor]) -> tuple[Tensor, ...]:
        score = rounded(d_scores)
        output = rounded(exponentials) @ v / total
        return output, scale * score @ k, scale * score.mT @ q, rounded(weights).mT @ d

    for one, right, exact in zip(
        found, computed(lambda t: t.to(dtype).float()), computed(lambda t: t), strict=True
    ):
        same, unlike = (one == other.to(dtype) for other in (right, exact))
        assert same.float().mean() > 0.98 > 0.8 > unlike.float().mean()


@BACKENDS
@pytest.mark.parametrize("causal", [False, True])
def test_nothing_that_stands_in_padding_gets_out(backend: Backend, causal: bool) -> None:
    """A masked key and its value count as zero, whatever they hold: 0 · NaN is NaN."""
    shape = Shape(150, 150, 16, causal=causal)
    q, k, v, d = shape.draw(torch.float32)
    real = torch.ones(2, 150, dtype=torch.bool)
    real[0, 100:], real[1, :3], real[1, 70] = False, False, False  # tiles in part, and in the midst
    results = []
    for junk in (0.0, math.nan, math.inf):
        padded = [t.masked_fill(~real[:, None, :, None], junk).requires_grad_() for t in (k, v)]
        leaves = [q.clone().requires_grad_(), *padded]
        output = attend(*leaves, causal=causal, real=real, backend=backend)
        results.append((output, *torch.autograd.grad(output, leaves, d)))
    for clean, *others in zip(*results, strict=True):
        assert all(torch.equal(clean, other) for other in others)
