import math
from collections import Counter

import numpy as np
from torch import nn


def by_building_it(d_model, num_heads, d_ff, gated):
    """Make the layers without their numbers, and ask PyTorch."""

    def linear(d_in, d_out):
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


def from_shapes(d_model, num_heads, d_ff, gated):
    square, up, down = (d_model, d_model), (d_ff, d_model), (d_model, d_ff)
    shapes = [("attention", square)] * 4
    shapes += [("feed_forward", up)] * (2 if gated else 1) + [("feed_forward", down)]
    counts = Counter()
    for part, shape in shapes:
        counts[part] += math.prod(shape) + shape[0]
    counts["norms"] = sum(2 * [d_model] + 2 * [d_model])
    return counts["attention"], counts["feed_forward"], counts["norms"], counts.total()


class WithNumpy:
    """A callable; the counts are numpy's whole numbers."""

    def __call__(self, d_model, num_heads, d_ff, gated):
        d_in = np.array([d_model, d_model, d_model, d_model, d_model, d_model, d_ff])
        d_out = np.array([d_model, d_model, d_model, d_model, d_ff, d_ff * gated, d_model])
        linear = (d_in + 1) * d_out
        parts = np.array([linear[:4].sum(), linear[4:].sum(), 4 * d_model])
        return tuple(np.append(parts, parts.sum()))


STYLES = {"encoder.parameters": (by_building_it, from_shapes, WithNumpy())}
