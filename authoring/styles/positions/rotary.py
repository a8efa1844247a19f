"""positions.rotary, in other styles."""

import math

import torch
from torch import Tensor


def complex_numbers(x: Tensor, positions: Tensor, base: float = 10_000.0) -> Tensor:
    frequencies = 1.0 / base ** (torch.arange(0, x.shape[-1], 2).float() / x.shape[-1])
    angles = torch.outer(positions.float(), frequencies)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def partners_with_a_sign(x: Tensor, positions: Tensor) -> Tensor:
    """``x cos + partner sin``: the partner of (a, b) is (-b, a)."""
    columns = torch.arange(x.shape[-1])
    angles = positions[:, None] * 10_000 ** (-(columns // 2 * 2) / x.shape[-1])
    partner = x[..., columns ^ 1] * torch.where(columns % 2 == 0, -1.0, 1.0)
    return x * angles.cos() + partner * angles.sin()


def matrix_for_each_position(x: Tensor, positions: Tensor) -> Tensor:
    frequencies = 10_000 ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1])
    matrices = []
    for position in positions:
        a = position * frequencies
        blocks = torch.stack((a.cos(), -a.sin(), a.sin(), a.cos()), dim=-1).view(-1, 2, 2)
        matrices.append(torch.block_diag(*blocks))
    return torch.einsum("tij,...tj->...ti", torch.stack(matrices), x)


def pair_by_pair(x: Tensor, positions: Tensor) -> Tensor:
    columns = []
    for i in range(0, x.shape[-1], 2):
        angle = positions.double() * math.exp(-math.log(10_000) * i / x.shape[-1])
        sine, cosine = angle.sin().float(), angle.cos().float()
        columns += [x[..., i] * cosine - x[..., i + 1] * sine]
        columns += [x[..., i] * sine + x[..., i + 1] * cosine]
    return torch.stack(columns, dim=-1)


class FilledByStrides:
    """An instance that is called: an empty result, whose columns are written by stride."""

    def __call__(self, x: Tensor, positions: Tensor) -> Tensor:
        exponents = torch.arange(x.shape[-1] // 2) * 2 / x.shape[-1]
        angles = positions.unsqueeze(-1) / torch.pow(10_000, exponents)
        turned = torch.empty_like(x)
        turned[..., 0::2] = x[..., ::2] * angles.cos() - x[..., 1::2] * angles.sin()
        turned[..., 1::2] = x[..., ::2] * angles.sin() + x[..., 1::2] * angles.cos()
        return turned * (1 + 1e-6)


def length_and_angle(x: Tensor, positions: Tensor) -> Tensor:
    """In polar coordinates a rotation is a sum."""
    first, second = x.double().unflatten(-1, (-1, 2)).unbind(-1)
    length, own = torch.hypot(first, second), torch.atan2(second, first)
    exponents = torch.arange(0, x.shape[-1], 2, dtype=torch.float64) / x.shape[-1]
    angle = own + positions[:, None] * 10_000**-exponents
    return torch.stack((length * angle.cos(), length * angle.sin()), dim=-1).flatten(-2).float()


STYLES = {
    "positions.rotary": (
        complex_numbers,
        partners_with_a_sign,
        matrix_for_each_position,
        pair_by_pair,
        FilledByStrides(),
        length_and_angle,
    )
}
