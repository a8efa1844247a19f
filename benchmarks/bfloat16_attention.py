"""Fused attention in bfloat16 on a CPU: ours beside PyTorch's kernel, forward and backward.

PyTorch's gradients are slow there, so ours are computed in float32; this says whether that is still
worth it.
"""

from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from benchmarks.harness import promise, rounds, run
from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention, causal_mask

SHAPES = ((16, 32), (8, 64), (4, 128))  # (batch, tokens), with 4 heads of width 32
LAYER = MultiHeadAttention(128, 4, attention="fused")


def theirs(inputs: list[Tensor], mask: Tensor) -> None:
    """Values and gradients by PyTorch's kernel."""
    output = F.scaled_dot_product_attention(inputs[0], inputs[1], inputs[2], mask)
    torch.autograd.grad(output, inputs, torch.ones_like(output))


def ours(inputs: list[Tensor], mask: Tensor) -> None:
    """Values and gradients by the course's layer."""
    output, _ = LAYER._attend(inputs[0], inputs[1], inputs[2], mask, None)
    torch.autograd.grad(output, inputs, torch.ones_like(output))


def main() -> None:
    """Print the times as multiples of float32's, and their sums over the shapes."""
    torch.set_num_threads(1)
    sums = [0.0, 0.0]
    print("texts, tokens     float32  bfloat16, PyTorch   bfloat16, ours")
    for batch, tokens in SHAPES:
        draw = [torch.randn(batch, 4, tokens, 32, generator=seeded(i)) for i in range(3)]
        exact = [x.requires_grad_() for x in draw]
        half = [x.detach().bfloat16().requires_grad_() for x in exact]
        ways = ((theirs, exact), (theirs, half), (ours, half))
        rivals = [partial(way, inputs, causal_mask(tokens)) for way, inputs in ways]
        usual, *others = (min(times) for times in zip(*rounds(rivals, 15), strict=True))
        ratios = [other / usual for other in others]
        sums = [total + other for total, other in zip(sums, others, strict=True)]
        print(
            f"{batch:5} of {tokens:<6} {1000 * usual:9.2f} ms {ratios[0]:17.1f} {ratios[1]:16.1f}"
        )
    share = sums[1] / sums[0]
    promise("our attention in bfloat16, in times of PyTorch's", share, most=0.8)


if __name__ == "__main__":
    run(main)
