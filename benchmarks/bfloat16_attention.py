"""Fused attention in bfloat16 on a CPU: ours beside PyTorch's kernel, forward and backward.

PyTorch's gradients are slow there, so ours are computed in float32; this says whether that is still
worth it. All three take turns.
"""

import sys
import time
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from transformer_lesson import seeded
from transformer_lesson.attention import MultiHeadAttention, causal_mask

SHAPES = ((16, 32), (8, 64), (4, 128))  # (batch, tokens), with 4 heads of width 32
REPEATS = 15
PROMISED = 0.8  # of the time of PyTorch's kernel in bfloat16, added up over the shapes


def seconds(attend: Callable[..., Tensor], inputs: list[Tensor]) -> float:
    """Return how long values and gradients take."""
    began = time.perf_counter()
    output = attend(*inputs)
    torch.autograd.grad(output, inputs, torch.ones_like(output))
    return time.perf_counter() - began


def main() -> int:
    """Print the times as multiples of float32's; return 1 if ours do not pay."""
    torch.set_num_threads(1)
    layer = MultiHeadAttention(128, 4, attention="fused")
    sums = [0.0, 0.0]
    print("texts, tokens     float32  bfloat16, PyTorch   bfloat16, ours")
    for batch, tokens in SHAPES:
        mask = causal_mask(tokens)
        exact = [
            torch.randn(batch, 4, tokens, 32, generator=seeded(i)).requires_grad_()
            for i in range(3)
        ]
        half = [x.detach().bfloat16().requires_grad_() for x in exact]

        def theirs(query: Tensor, key: Tensor, value: Tensor, mask: Tensor = mask) -> Tensor:
            return F.scaled_dot_product_attention(query, key, value, mask)

        def ours(query: Tensor, key: Tensor, value: Tensor, mask: Tensor = mask) -> Tensor:
            return layer._attend(query, key, value, mask, None)[0]

        runs = [(theirs, exact), (theirs, half), (ours, half)]
        rounds = [[seconds(*run) for run in runs] for _ in range(REPEATS)]
        usual, *others = (min(column) for column in zip(*rounds, strict=True))
        ratios = [other / usual for other in others]
        sums = [total + other for total, other in zip(sums, others, strict=True)]
        print(
            f"{batch:5} of {tokens:<6} {1000 * usual:9.2f} ms {ratios[0]:17.1f} {ratios[1]:16.1f}"
        )
    print(f"ours take {sums[1] / sums[0]:.2f} of the time; promised: at most {PROMISED}")
    return int(sums[1] / sums[0] > PROMISED)


if __name__ == "__main__":
    sys.exit(main())
