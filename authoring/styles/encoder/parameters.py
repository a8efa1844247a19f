"""The parameters of a block counted in other styles."""

import math
from collections import Counter

import numpy as np
from torch import nn

Counts = tuple[int, int, int, int]


def by_building_it(d_model: int, num_heads: int, d_ff: int, gated: bool) -> list[int]:
    """Make the layers without their numbers, and ask PyTorch."""

    def linear(d_in: int, d_out: int) -> nn.Module:
        return nn.Linear(d_in, d_out, device="meta")

    attention = nn.MultiheadAttention(d_model, num_heads, device="meta")
    ups = [linear(d_model, d_ff) for _ in range(1 + gated)]
    parts = (
        [attention],
        [*ups, linear(d_ff, d_model)],
        [nn.LayerNorm(d_model, device="meta") for _ in range(2)],
    )
    counts = [sum(p.numel() for layer in part for p in layer.parameters()) for part in parts]
    return [*counts, sum(counts)]


def closed_form(
    d_model: int, num_heads: int, d_ff: int, gated: bool = False, bias: bool = True
) -> Counts:
    d, f, b, n = d_model, d_ff, int(bias), 2 + bool(gated)
    attention, feed_forward, norms = 4 * d * (d + b), n * d * f + ((n - 1) * f + d) * b, 4 * d
    return attention, feed_forward, norms, attention + feed_forward + norms


def head_by_head(d_model: int, num_heads: int, d_ff: int, gated: bool) -> Counts:
    d_head, attention, feed_forward = d_model // num_heads, 0, 0
    for _ in range(num_heads):
        attention += 3 * (d_model + 1) * d_head  # query, key, value
        attention += d_head * d_model  # its rows of the output projection
    attention += d_model
    for _ in range(d_ff):  # neuron by neuron
        feed_forward += (d_model + 1) * (2 if gated else 1) + d_model
    feed_forward += d_model
    return attention, feed_forward, 2 * (d_model + d_model), attention + feed_forward + 4 * d_model


def from_shapes(d_model: int, num_heads: int, d_ff: int, gated: bool) -> tuple[int, ...]:
    square, up, down = (d_model, d_model), (d_ff, d_model), (d_model, d_ff)
    shapes: list[tuple[str, tuple[int, ...]]] = [("attention", square)] * 4
    shapes += [("feed_forward", up)] * (2 if gated else 1) + [("feed_forward", down)]
    counts: Counter[str] = Counter()
    for part, shape in shapes:
        counts[part] += math.prod(shape) + shape[0]
    counts["norms"] = sum(2 * [d_model] + 2 * [d_model])
    return counts["attention"], counts["feed_forward"], counts["norms"], counts.total()


class WithNumpy:
    """A callable; the counts are numpy's whole numbers."""

    def __call__(self, d_model: int, num_heads: int, d_ff: int, gated: bool) -> np.ndarray:
        d_in = np.array([d_model, d_model, d_model, d_model, d_model, d_model, d_ff])
        d_out = np.array([d_model, d_model, d_model, d_model, d_ff, d_ff * gated, d_model])
        linear = (d_in + 1) * d_out
        parts = np.array([linear[:4].sum(), linear[4:].sum(), 4 * d_model])
        return tuple(np.append(parts, parts.sum()))  # type: ignore[return-value]


STYLES = {
    "encoder.parameters": (
        by_building_it,
        closed_form,
        head_by_head,
        from_shapes,
        WithNumpy(),
    ),
}
