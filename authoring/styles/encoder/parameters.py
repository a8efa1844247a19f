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


STYLES = {"encoder.parameters": (by_building_it,)}
