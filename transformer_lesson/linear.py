"""Linear layers whose initial weights come from a generator that the caller gives."""

import torch
from torch import nn


def linear(
    d_in: int, d_out: int, *, bias: bool = True, generator: torch.Generator | None = None
) -> nn.Linear:
    """Return a linear layer with Xavier-uniform weights and, if it has one, a bias of 0."""
    # skip_init, because nn.Linear would first draw from the global generator.
    layer = nn.utils.skip_init(nn.Linear, d_in, d_out, bias=bias)
    nn.init.xavier_uniform_(layer.weight, generator=generator)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer
