"""RMS norm in other styles."""

from functools import partial

import torch
from torch import Tensor


def by_rsqrt(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    return gain * (x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps))


def by_length(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    """A token's length is √d times its root mean square."""
    width = x.shape[-1]
    squares = x.norm(dim=-1, keepdim=True) ** 2
    return x * gain * width**0.5 / (squares + width * eps) ** 0.5


def by_einsum(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    mean_square = torch.einsum("...d,...d->...", x, x) / x.shape[-1] + eps
    return torch.einsum("...d,d,...->...d", x, gain, mean_square.pow(-0.5))


def token_by_token(x: Tensor, gain: Tensor, eps: float) -> Tensor:
    if x.dim() > 1:
        return torch.stack([token_by_token(part, gain, eps) for part in x])
    mean_square = torch.dot(x, x) / len(x)
    return torch.stack([n * g for n, g in zip(x, gain, strict=True)]) / (mean_square + eps).sqrt()


def _in(x: Tensor, gain: Tensor, eps: float, dtype: torch.dtype) -> Tensor:
    """As Llama does it: the statistics in another precision, the gain in the old one."""
    precise = x.to(dtype)
    root = torch.exp(0.5 * torch.log((precise**2).mean(-1, keepdim=True) + eps))
    return (precise / root).type_as(x) * gain


STYLES = {
    "encoder.rms_norm": (
        by_rsqrt,
        by_length,
        by_einsum,
        token_by_token,
        partial(_in, dtype=torch.float64),
    ),
}
