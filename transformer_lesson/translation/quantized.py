"""Weights in 8 bits: a quarter of the bytes, for a model that is shipped or read in a browser.

Each row of a matrix is divided by its largest magnitude and rounded to an integer from -127 to 127;
the row's scale, in float32, stands beside it. What is not a matrix stays as it is.
"""

import torch
from torch import Tensor

SCALE = ".scale"  # after the name of the weight


def quantize_weights(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return ``weights`` with every float matrix ``(rows, columns)`` as int8 and its scales.

    Returns:
        For each matrix ``name`` an int8 tensor of its shape, and ``name + ".scale"``, float32
        ``(rows,)``. A row's largest error is half its scale.
    """
    small: dict[str, Tensor] = {}
    for name, weight in weights.items():
        if weight.ndim != 2 or not weight.is_floating_point():
            small[name] = weight
            continue
        # A row of zeros has no largest magnitude to divide by.
        scale = (weight.abs().amax(dim=1) / 127).clamp_min(torch.finfo(weight.dtype).tiny)
        small[name] = (weight / scale[:, None]).round().to(torch.int8)
        small[name + SCALE] = scale.float()
    return small


def dequantize_weights(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return float32 matrices for what ``quantize_weights`` made; other weights stay as they are.

    Raises:
        ValueError: an int8 matrix has no scales, or not one for each row.
    """
    whole: dict[str, Tensor] = {}
    for name, weight in weights.items():
        if name.endswith(SCALE):
            continue
        if weight.dtype is torch.int8:
            scale = weights.get(name + SCALE)
            if scale is None or scale.shape != weight.shape[:1]:
                raise ValueError(f"{name} is int8 and has no scale for each of its rows.")
            weight = weight.float() * scale[:, None]
        whole[name] = weight
    return whole
