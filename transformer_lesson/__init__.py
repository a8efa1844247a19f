"""The Transformer, built and measured: the helper package of the course.

Importing it costs nothing beyond ``import torch``. Plotting, widgets and Triton load when they
are first used.
"""

import torch

__all__ = ["seeded"]


def seeded(seed: int) -> torch.Generator:
    """Return a CPU random generator that starts at ``seed`` and leaves the global one alone."""
    return torch.Generator().manual_seed(seed)
